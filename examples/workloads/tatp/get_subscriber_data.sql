SELECT s_id, sub_nbr, bit_1, hex_1, byte2_1, msc_location, vlr_location FROM subscriber WHERE s_id = :s_id
