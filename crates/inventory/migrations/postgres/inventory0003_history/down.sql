DROP INDEX resources_history_launch;
DROP INDEX resources_history_cloud;
