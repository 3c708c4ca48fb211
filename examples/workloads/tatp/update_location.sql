UPDATE subscriber SET vlr_location = :vlr_location WHERE sub_nbr = :sub_nbr
