DROP TABLE changes;
DROP TABLE changes_heads;
