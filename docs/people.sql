-- The nine people of the README's example.
CREATE TABLE people (name VARCHAR, age INTEGER, zip VARCHAR, sex VARCHAR, illness VARCHAR);
INSERT INTO people VALUES
    ('Ada', 29, '02134', 'f', 'flu'), ('Ben', 33, '02139', 'm', 'asthma'), ('Cleo', 31, '02139', 'f', 'flu'),
    ('Dan', 36, '02134', 'm', 'cancer'), ('Eve', 47, '00501', 'f', 'flu'), ('Fay', 45, '00544', 'f', 'asthma'),
    ('Gus', 61, '00501', 'm', 'cancer'), ('Hal', 58, '00544', 'm', 'flu'), ('Ivy', NULL, '00501', 'f', 'asthma');
