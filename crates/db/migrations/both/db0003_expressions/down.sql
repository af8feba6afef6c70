DROP TABLE expression_sizes;
