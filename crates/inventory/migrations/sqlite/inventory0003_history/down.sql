DROP INDEX resources_history_launch;
DROP INDEX resources_history_cloud;
DELETE FROM sqlite_stat1 WHERE idx IN ('resources_history_launch', 'resources_history_cloud');
