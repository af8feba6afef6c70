DROP TABLE shift_reminders;
