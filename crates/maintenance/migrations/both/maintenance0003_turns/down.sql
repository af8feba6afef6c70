DROP INDEX maintenance_watches_turn;
