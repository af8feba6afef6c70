DROP INDEX roster_watches_turn;
