NAME lockstep FREE
ROWS
 N OBJ
 E water_balance_H
 E water_balance_G
 E load_balance_B0
 G cut_0
 G cut_1
 G cut_2
 G cut_3
COLUMNS
 storage_H OBJ 0
 storage_H water_balance_H 1
 storage_H cut_0 0.6758417334577573
 storage_H cut_1 8.412452099751421e-10
 storage_H cut_2 8.412452099751421e-10
 storage_H cut_3 0.6758417334577573
 storage_G OBJ 0
 storage_G water_balance_G 1
 storage_G cut_0 0.4055050400739445
 storage_G cut_1 2.5107178152359706e-11
 storage_G cut_2 2.5107178152359706e-11
 storage_G cut_3 0.4055050400739445
 future_cost OBJ 524288
 future_cost cut_0 1
 future_cost cut_1 1
 future_cost cut_2 1
 future_cost cut_3 1
 turbined_H OBJ 2.4451707406692586e-06
 turbined_H water_balance_H 2.628
 turbined_H load_balance_B0 1
 turbined_G OBJ 2.4451707406692586e-06
 turbined_G water_balance_G 2.628
 turbined_G load_balance_B0 0.6
 spillage_H OBJ 2.4451707406692586e-06
 spillage_H water_balance_H 2.628
 spillage_G OBJ 2.4451707406692586e-06
 spillage_G water_balance_G 2.628
 thermal_A OBJ 0.00017704225831305988
 thermal_A load_balance_B0 1
 thermal_B OBJ 0.003245838107442548
 thermal_B load_balance_B0 1
 deficit_B0 OBJ 1396791.3701615876
 deficit_B0 load_balance_B0 1
 excess_B0 OBJ 2.4451707406692586e-06
 excess_B0 load_balance_B0 -1
RHS
 RHS water_balance_H 54.897811330347324
 RHS water_balance_G 97.28924
 RHS load_balance_B0 46
 RHS cut_0 20.787023732654042
 RHS cut_1 1.7889090289893874e-08
 RHS cut_2 1.7889090289893874e-08
 RHS cut_3 20.787023732654042
RANGES
BOUNDS
 LO BND storage_H 0
 UP BND storage_H 120
 LO BND storage_G 0
 UP BND storage_G 5000
 LO BND future_cost 0
 LO BND turbined_H 0
 UP BND turbined_H 100
 LO BND turbined_G 0
 UP BND turbined_G 50
 LO BND spillage_H 0
 LO BND spillage_G 0
 LO BND thermal_A 0
 UP BND thermal_A 10
 LO BND thermal_B 0
 UP BND thermal_B 10
 LO BND deficit_B0 0
 LO BND excess_B0 0
ENDATA
