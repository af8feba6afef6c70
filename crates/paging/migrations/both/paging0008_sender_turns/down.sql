DROP INDEX pages_codes;
DROP INDEX pages_turns;
