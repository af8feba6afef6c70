DROP TABLE sign_in_mails;
