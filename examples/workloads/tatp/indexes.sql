CREATE UNIQUE INDEX subscriber_nbr ON subscriber (sub_nbr)
