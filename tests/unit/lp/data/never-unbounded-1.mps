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
 storage_H cut_0 -0.0021744502029394713
 storage_H cut_1 1.6013326410331592
 storage_H cut_2 10446305881.902199
 storage_H cut_3 14.166797274994051
 future_cost OBJ 0.0078125
 future_cost cut_0 1
 future_cost cut_1 1
 future_cost cut_2 1
 future_cost cut_3 1
 turbined_H OBJ 0.00013393254218730307
 turbined_H water_balance_H 2.628
 turbined_H load_balance_B0 1
 spillage_H OBJ 0.00013393254218730307
 spillage_H water_balance_H 2.628
 thermal_A OBJ 0.049449973721505384
 thermal_A load_balance_B0 1
 thermal_B OBJ 0.8234040610195341
 thermal_B load_balance_B0 1
 deficit_B0 OBJ 643427152.0902774
 deficit_B0 load_balance_B0 1
 excess_B0 OBJ 0.00013393254218730307
 excess_B0 load_balance_B0 -1
RHS
 RHS water_balance_H 23.307323471212435
 RHS load_balance_B0 28.098682749008287
 RHS cut_0 0.28878150472973896
 RHS cut_1 80.85473424553457
 RHS cut_2 57614911086.3484
 RHS cut_3 480.37793273159804
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
