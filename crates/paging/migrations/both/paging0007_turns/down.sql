DROP INDEX shift_reminders_turn;
DROP INDEX escalations_turn;
