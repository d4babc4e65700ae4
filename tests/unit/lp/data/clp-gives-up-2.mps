NAME lockstep FREE
ROWS
 N OBJ
 E water_balance_H
 E water_balance_G
 E load_balance_B0
 G cut_7
 G cut_9
 G cut_10
 G cut_12
 G cut_13
 G cut_14
 G cut_15
 G cut_16
 G cut_17
 G cut_18
 G cut_19
COLUMNS
 storage_H OBJ 0
 storage_H water_balance_H 1
 storage_H cut_7 0.34095621699510736
 storage_H cut_9 0.3409562169232973
 storage_H cut_10 1.0412470735827997e-09
 storage_H cut_12 7.181575886485148e-11
 storage_H cut_13 1.0412451618012135e-09
 storage_H cut_14 0.34095621685148536
 storage_H cut_15 1.0412451618012135e-09
 storage_H cut_16 0.34095621685148725
 storage_H cut_17 1.1130570971028927e-09
 storage_H cut_18 0.3409562169232973
 storage_H cut_19 0.34095621685148725
 storage_G OBJ 0
 storage_G water_balance_G 1
 storage_G cut_7 0.2045737301539749
 storage_G cut_9 0.2045737301539749
 storage_G cut_10 6.247448029428246e-10
 storage_G cut_12 4.308601411205586e-11
 storage_G cut_13 6.678308170548807e-10
 storage_G cut_14 0.2045737301539749
 storage_G cut_15 6.678308170548805e-10
 storage_G cut_16 0.20457373011088892
 storage_G cut_17 6.247448029428246e-10
 storage_G cut_18 0.20457373011088892
 storage_G cut_19 0.2045737301108889
 future_cost OBJ 4194304
 future_cost cut_7 1
 future_cost cut_9 1
 future_cost cut_10 1
 future_cost cut_12 1
 future_cost cut_13 1
 future_cost cut_14 1
 future_cost cut_15 1
 future_cost cut_16 1
 future_cost cut_17 1
 future_cost cut_18 1
 future_cost cut_19 1
 turbined_H OBJ 9.48278826368056e-08
 turbined_H water_balance_H 2.628
 turbined_H load_balance_B0 1
 turbined_G OBJ 9.48278826368056e-08
 turbined_G water_balance_G 2.628
 turbined_G load_balance_B0 0.6
 spillage_H OBJ 9.48278826368056e-08
 spillage_H water_balance_H 2.628
 spillage_G OBJ 9.48278826368056e-08
 spillage_G water_balance_G 2.628
 thermal_A OBJ 0.0023747642016031375
 thermal_A load_balance_B0 1
 thermal_B OBJ 0.034431814931615706
 thermal_B load_balance_B0 1
 deficit_B0 OBJ 11274703.606517306
 deficit_B0 load_balance_B0 1
 excess_B0 OBJ 9.48278826368056e-08
 excess_B0 load_balance_B0 -1
RHS
 RHS water_balance_H 98.56775999999999
 RHS water_balance_G 130.13924
 RHS load_balance_B0 46
 RHS cut_7 23.296856419526904
 RHS cut_9 23.29685641815683
 RHS cut_10 1.0039848945568484e-07
 RHS cut_12 8.682531632849205e-09
 RHS cut_13 1.0153071685523407e-07
 RHS cut_14 23.296856415412808
 RHS cut_15 1.0153071685523408e-07
 RHS cut_16 23.296856414280587
 RHS cut_17 1.0176857300123127e-07
 RHS cut_18 23.296856415650673
 RHS cut_19 23.296856414280583
RANGES
BOUNDS
 LO BND storage_H 0
 UP BND storage_H 120
 LO BND storage_G 0
 UP BND storage_G 5000
 LO BND future_cost 0
 LO BND turbined_H 0
 UP BND turbined_H 40
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
