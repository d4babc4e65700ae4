NAME lockstep FREE
ROWS
 N OBJ
 E water_balance_H
 E load_balance_B0
 G cut_2
 G cut_4
 G cut_5
 G cut_6
 G cut_7
 G cut_8
 G cut_9
 G cut_10
 G cut_11
COLUMNS
 storage_H OBJ 0
 storage_H water_balance_H 1
 storage_H cut_2 0.6736997790944161
 storage_H cut_4 0.3368498897139471
 storage_H cut_5 0.673699779091051
 storage_H cut_6 0.3368498897139471
 storage_H cut_7 0.6736997790944161
 storage_H cut_8 1.7178670667042886e-10
 storage_H cut_9 0.673699779091051
 storage_H cut_10 0.3368498897139471
 storage_H cut_11 1.7178670667042886e-10
 future_cost OBJ 4194304
 future_cost cut_2 1
 future_cost cut_4 1
 future_cost cut_5 1
 future_cost cut_6 1
 future_cost cut_7 1
 future_cost cut_8 1
 future_cost cut_9 1
 future_cost cut_10 1
 future_cost cut_11 1
 turbined_H OBJ 1.1138916015625001e-07
 turbined_H water_balance_H 2.628
 turbined_H load_balance_B0 1
 spillage_H OBJ 1.1138916015625001e-07
 spillage_H water_balance_H 2.628
 thermal_A OBJ 0.00011138916015625
 thermal_A load_balance_B0 1
 thermal_B OBJ 0.0055694580078125
 thermal_B load_balance_B0 1
 deficit_B0 OBJ 11138916.015625
 deficit_B0 load_balance_B0 1
 excess_B0 OBJ 1.1138916015625001e-07
 excess_B0 load_balance_B0 -1
RHS
 RHS water_balance_H 196.144
 RHS load_balance_B0 46
 RHS cut_2 35.40966039810904
 RHS cut_4 23.016279268093566
 RHS cut_5 35.409660398055976
 RHS cut_6 23.016279268093566
 RHS cut_7 35.40966039810905
 RHS cut_8 1.632436687941663e-08
 RHS cut_9 35.409660398055976
 RHS cut_10 23.016279268093566
 RHS cut_11 1.632436687941663e-08
RANGES
BOUNDS
 LO BND storage_H 0
 UP BND storage_H 120
 LO BND future_cost 0
 LO BND turbined_H 0
 UP BND turbined_H 60
 LO BND spillage_H 0
 LO BND thermal_A 0
 UP BND thermal_A 10
 LO BND thermal_B 0
 UP BND thermal_B 10
 LO BND deficit_B0 0
 LO BND excess_B0 0
ENDATA
