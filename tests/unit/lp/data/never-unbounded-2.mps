NAME lockstep FREE
ROWS
 N OBJ
 E water_balance_H
 E load_balance_B0
 G cut_0
 G cut_1
 G cut_2
 G cut_3
COLUMNS
 storage_H OBJ 0
 storage_H water_balance_H 1
 storage_H cut_1 25680661663.27127
 storage_H cut_2 51361323323.90988
 storage_H cut_3 51361323323.90988
 future_cost OBJ 0.001953125
 future_cost cut_0 1
 future_cost cut_1 1
 future_cost cut_2 1
 future_cost cut_3 1
 turbined_H OBJ 0.00012429262875685764
 turbined_H water_balance_H 2.628
 turbined_H load_balance_B0 1
 spillage_H OBJ 0.00012429262875685764
 spillage_H water_balance_H 2.628
 thermal_A OBJ 0.0023124143064544626
 thermal_A load_balance_B0 1
 thermal_B OBJ 0.020393736244299403
 thermal_B load_balance_B0 1
 deficit_B0 OBJ 395442063.5603836
 deficit_B0 load_balance_B0 1
 excess_B0 OBJ 0.00012429262875685764
 excess_B0 load_balance_B0 -1
RHS
 RHS water_balance_H 36.696834749116825
 RHS load_balance_B0 34.71939978137047
 RHS cut_0 2.2094671194556437
 RHS cut_1 588461643617.1487
 RHS cut_2 771990614050.9126
 RHS cut_3 771990614050.9125
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
