-- Keys that are narrowed to operations which have another operationId now. Names are ascending, with a blank between two.
UPDATE api_keys SET operations = trim(replace(replace(replace(replace(replace(replace(replace(replace(' ' || operations || ' ',
    ' heartbeatOfJobRun ', ' sendJobRunHeartbeat '), ' logOfJobRun ', ' appendJobRunLog '),
    ' resultOfJobRun ', ' reportJobRunResult '), ' nextRunsOfJob ', ' listNextJobRuns '),
    ' listClientsMinimal ', ' listMinimalClients '), ' listUsersMinimal ', ' listMinimalUsers '),
    ' getRelatedToIncident ', ' getIncidentRelations '), ' listGroupsOfResource ', ' listResourceGroups '))
WHERE operations IS NOT NULL;
