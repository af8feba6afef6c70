DROP INDEX alerts_open_hosts;
