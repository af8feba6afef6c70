UPDATE api_keys SET operations = trim(replace(replace(replace(replace(replace(replace(replace(replace(' ' || operations || ' ',
    ' sendJobRunHeartbeat ', ' heartbeatOfJobRun '), ' appendJobRunLog ', ' logOfJobRun '),
    ' reportJobRunResult ', ' resultOfJobRun '), ' listNextJobRuns ', ' nextRunsOfJob '),
    ' listMinimalClients ', ' listClientsMinimal '), ' listMinimalUsers ', ' listUsersMinimal '),
    ' getIncidentRelations ', ' getRelatedToIncident '), ' listResourceGroups ', ' listGroupsOfResource '))
WHERE operations IS NOT NULL;
