CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO facts VALUES ('mint', 'OTHER_URL');
INSERT INTO facts VALUES ('seed', '40aba8ca92e7');
CREATE TABLE inputs (
    y TEXT PRIMARY KEY,
    operation INTEGER NOT NULL REFERENCES operations (number)
  ) STRICT, WITHOUT ROWID;
INSERT INTO inputs VALUES ('0223f65042696e556701bf43a3af64d5e83efec2acb71265013d2b051dd1674cd6', 1);
INSERT INTO inputs VALUES ('026f728278af22b68da7e0e89a0f4a24db2ecd35c2a5c6712e795c08752b12d7a3', 1);
INSERT INTO inputs VALUES ('025208d3a86a384061d08284c2413d029add643c1d6a2b7296b0ed948ea0883fb7', 3);
CREATE TABLE sent (
    operation INTEGER NOT NULL REFERENCES operations (number),
    y TEXT NOT NULL,
    PRIMARY KEY (operation, y)
  ) STRICT, WITHOUT ROWID;
INSERT INTO sent VALUES (2, '0218812528a2f01a5a707ecb56ebf1534039e25ee7f294676752c389943390a4fe');
INSERT INTO sent VALUES (2, '0226368754d6924e21d765c6e519a80e069885d0cc09945a67a8f36efc24102310');
INSERT INTO sent VALUES (2, '024ec51336d657d2fe27c1574885310998f979467ebca544f93ceffdac9e2be7e6');
CREATE TABLE proofs (
    y TEXT PRIMARY KEY,
    keyset_id TEXT NOT NULL,
    amount INTEGER NOT NULL CHECK (amount > 0),
    secret TEXT NOT NULL,
    c TEXT NOT NULL,
    operation INTEGER NOT NULL REFERENCES operations (number),
    held_by INTEGER REFERENCES operations (number)
  ) STRICT, WITHOUT ROWID;
INSERT INTO proofs VALUES ('0204875ee276993fdefc151759b293a74cad562c8363ad95cbfcb1c41d6ec2d396', '0139d0084d1c00f833feb2dc60c86fc278fc11f816c57c2c011c7def86a3656b7c', 1, 'bd86f6fe7deaddb9e4877a23868bf03aede58fc1151116cf72f5f32c7514d1e9', '02e8484f10516c184bbd89d083353ea3ae75ceb32230ec9c9835cfa3dc130e1de1', 2, NULL);
INSERT INTO proofs VALUES ('02ac10c7648e3a697f9c8ac2434c5b19f0075fb58a5feb2027a1a30ddd39bc410f', '0139d0084d1c00f833feb2dc60c86fc278fc11f816c57c2c011c7def86a3656b7c', 32, '13faba8fe70d57d74668669a4b6ebdca7634378e077e5c56e8c399f6e19a628e', '0326e144558d29202d739260925be50153a3222d6092733078a2defbcdf789d51d', 1, NULL);
CREATE TABLE totals (only INTEGER PRIMARY KEY CHECK (only = 1), balance INTEGER NOT NULL CHECK (balance >= 0)) STRICT;
INSERT INTO totals VALUES (1, 33);
CREATE TABLE counters (keyset_id TEXT PRIMARY KEY, next INTEGER NOT NULL CHECK (next >= 0), signed INTEGER NOT NULL DEFAULT -1) STRICT, WITHOUT ROWID;
INSERT INTO counters VALUES ('0139d0084d1c00f833feb2dc60c86fc278fc11f816c57c2c011c7def86a3656b7c', 4, 2);
CREATE TABLE answers (
    route TEXT NOT NULL,
    key TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    operation INTEGER REFERENCES operations (number),
    problem TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (route, key)
  ) STRICT, WITHOUT ROWID;
INSERT INTO answers VALUES ('receive', 'n-1', '8MpfVUJovPrG37GO1TdLvfBMFvwIej/ICYkFVddcI84=', 1, NULL, 1795176003000);
INSERT INTO answers VALUES ('receive', 'n-2', '0b0AjA8cJDzwhoo7xEkpM+ZOpuc/j671o9DStCrb1k4=', 3, NULL, 1795176003000);
CREATE TABLE spare_counters (
    keyset_id TEXT NOT NULL,
    start INTEGER NOT NULL CHECK (start >= 0),
    count INTEGER NOT NULL CHECK (count > 0),
    PRIMARY KEY (keyset_id, start)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE "operations" (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL
      CHECK (kind IN ('receive', 'send', 'reclaim', 'restore', 'swap', 'recovered', 'spent_elsewhere')),
    state TEXT NOT NULL CHECK (state IN ('pending', 'completed', 'failed')),
    amount INTEGER NOT NULL CHECK (amount >= 0),
    fee INTEGER NOT NULL CHECK (fee >= 0),
    expected INTEGER NOT NULL CHECK (expected >= 0),
    memo TEXT,
    token TEXT,
    spent INTEGER NOT NULL DEFAULT 0 CHECK (spent IN (0, 1)),
    reclaimed INTEGER NOT NULL DEFAULT 0 CHECK (reclaimed IN (0, 1)),
    subject INTEGER REFERENCES operations (number),
    plan TEXT,
    failure TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    confirming INTEGER NOT NULL DEFAULT 0 CHECK (confirming IN (0, 1)),
    recheck_at INTEGER,
    rechecks INTEGER NOT NULL DEFAULT 0,
    CHECK (state <> 'pending' OR plan IS NOT NULL),
    CHECK (kind <> 'send' OR state <> 'completed' OR token IS NOT NULL)
  ) STRICT;
INSERT INTO operations VALUES (1, 'b919f480-b8f9-4c87-b977-0cc089f467ff', 'receive', 'completed', 40, 0, 40, NULL, NULL, 0, 0, NULL, NULL, NULL, 1795176003000, 1795176003000, 0, NULL, 0);
INSERT INTO operations VALUES (2, 'fa399e8a-90da-41ba-98e1-148997895d92', 'send', 'completed', 7, 0, 1, NULL, 'cashuBo2Ftdmh0dHA6Ly8xMjcuMC4wLjE6Mzc4MDNhdWNzYXRhdIGiYWlIATnQCE0cAPhhcIOkYWEEYXN4QGM1OWE3NDA5MDA0YTIxMmE1ZTVmNTU5OTZhMDE3MmI3NTFkNzdhZTRiZmU5MTFmMDI3ZTFlNGVjY2M3NzY3YzdhY1ghAtn13VRT4jwB6l1QKHRH3h-lvIGRqBdbaqTv4wos0W3XYWSjYWVYIEzd9tvO1hinWze0y38WV4XKIZWGSpHMVO3yvK5gSBA7YXNYIC50JOv1IQGIgixGiGiJEbjT4-UCh00-BKtTaYjzZhwVYXJYICvDifn0pbbp_hupKWYC29WUeASRQtlI0TuhABByQBplpGFhAmFzeEA0ZDNjYjMxODg2NGRmNTI3MWM0NGJlNWYwMWVmZGU5MzRiMjExZjg2ZjMyMzMyYWNmZGU4ZmVkM2JjN2U5YjZkYWNYIQMb1G8SvSdA8qPVYmskv4mzmI-2pIrfsu1DDWh9Ffv3a2Fko2FlWCC_Rh7N47SFSEFdNZWCh2LGCNPJgHOD-NId8iz3KpAeWWFzWCA8BiB9kKm9rNS-nQHCIPp1O9B7q9OoPGsGYt24MKwwD2FyWCD9m1jF-PgKQz4VZELaazgfDO1Y_7cBXJV-T_U9SOAW9qRhYQFhc3hAOGJkN2E1YmIzNWEzNTJiNjI2MGM3YjgzYjQ4ZmQxNjZhYjU1NWMzYzg3NmY2M2Q5OTI3MDc3YjYwYzNhZjk4NWFjWCECP8SRYtHIcsIww_a8_HPyIm4CxtfzSqaiRqbiovOZ_mBhZKNhZVggZyNwyrAPpNCHj0iihpCYCviYCq5UHyX_daMESXWevLZhc1ggHfXx6r_Wp5jKQ4-Nww1mwxXywOTB2CFyzv52FfbnkZRhclgghaq1e3zdEm5iCwOKm0kO4sEFOa9_5mL8Hx2Qx-w5LhQ', 0, 0, NULL, NULL, NULL, 1795176003000, 1795176003000, 0, NULL, 0);
INSERT INTO operations VALUES (3, 'a7c33d30-9819-4b92-a38d-323d9b03acba', 'receive', 'pending', 16, 0, 16, NULL, NULL, 0, 0, NULL, '{"keysetId":"0139d0084d1c00f833feb2dc60c86fc278fc11f816c57c2c011c7def86a3656b7c","inputs":[{"id":"0139d0084d1c00f833feb2dc60c86fc278fc11f816c57c2c011c7def86a3656b7c","amount":16,"secret":"011582260b7887a613389975d3e872f7ed54ff8888f78856db798c4b2eda7aaa","C":"03dc7dcc92b8c05ca59dd3169b45aa8b57c56950e668bafbf00091952452f12006","y":"025208d3a86a384061d08284c2413d029add643c1d6a2b7296b0ed948ea0883fb7"}],"keep":[{"blindedMessage":{"amount":"16","B_":"03e73185c31d1335899149342fe020a3ac978d43eead9d9d3079e978c2ba9c752e","id":"0139d0084d1c00f833feb2dc60c86fc278fc11f816c57c2c011c7def86a3656b7c"},"blindingFactor":"12276129821238009768234275606452464181475457837761445012706121597129416525171","secret":"66656535636439343830313263663566663937343832666365656230396439346239323735626164366132643134303464396639313133316563666230363663"}],"send":[],"counters":{"start":3,"count":1}}', '{"code":"redemption_pending","message":"The mint did not answer. The wallet retries automatically."}', 1795176003000, 1795176068601, 0, NULL, 0);
CREATE TABLE old_plans (
    operation INTEGER NOT NULL REFERENCES operations (number),
    version INTEGER NOT NULL,
    plan TEXT NOT NULL,
    amount INTEGER NOT NULL,
    fee INTEGER NOT NULL,
    expected INTEGER NOT NULL,
    PRIMARY KEY (operation, version)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE keysets (
    id TEXT PRIMARY KEY,
    active INTEGER NOT NULL CHECK (active IN (0, 1)),
    input_fee_ppk INTEGER NOT NULL,
    final_expiry INTEGER,
    keys TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
INSERT INTO keysets VALUES ('0139d0084d1c00f833feb2dc60c86fc278fc11f816c57c2c011c7def86a3656b7c', 1, 0, NULL, '{"1":"02d4855a97afe4d777adaef0269932e2ee0955242fef00eb0c0a6f32cc16dcbca0","2":"03294aa6b54e8af1c64115e3cc223edd19350afa5c11b985d79061979a7aa90b14","4":"02a74c37fb6d9969575c8ab2c0e3c242afac63554e0f98f2d5dd4e17b0132d0342","8":"02c5d4bc069002b47156e5b43a87d5c4d9a2bf888294363b17fdeeb0cbf11dd488","16":"03189f8a479787bc265e92abd73ae137670805922033075a3a72f98dfe8407e09a","32":"027850a5297f721126717da504c64afe7237f14e225d7583b3f2ea89e91573e3bc","64":"02935f199fcc8ee9585fa4612c4fa6b26348cef88b18a53a0bb58c36d9b6dbb0bf","128":"02038f15dd7785cd56e002ccfce633a0a56b7ee34c21fd694f144c47e4b553ef70","256":"035fa8c0dc98c3dcfc30b05f1ea2046319a37a899a1c85534d91b7e2063f7107c8","512":"0349bdb7f26eb73575ef2559d70d4af70dd41a859f9f6b722704fd10ad3b5acdc1","1024":"02d68eb2b17b16036fe8ad87f387954137b531b3ef8862f0bb1306a6419f6871dd","2048":"02a5898c3d1f30a2555be77c3db53d477285b47b5f45f58b78b6525a4ab1ca9b72","4096":"0228e9dbd791239759dae6073e3e63c6372182b81a7e6fb1d59a0159b079a55fe8","8192":"022a8461cc496db9eda7c2d52752d259241c7cb765410181ce19e3073288965bc3","16384":"03fdff484e1f32057c90325f0562aac5d042210c226bdb0e7ad8150c47b9907a4a","32768":"021fa05a3a81bd8846660b4aa5eee9fb7cec56121a737e55ee5c701290eb31c4ad","65536":"036080d035356ed75621216541b0ac54537a9ece722c624d810b6037fb55dbe9be","131072":"03e040e1ea03e60125c88fe758bfc4ca324a68d3184b9cf9dfb306be813a42b9a2","262144":"030c48a7f2c96fdb5dd052e85d0a266ac7d83bffc0d6429760d05839fc34397a03","524288":"023e5cd42e9638c16b4a688596923582e710b64aa11ca8aaf254563211a56138b0","1048576":"02c087e84460e40ad2280c1d3969a9a65cf7bc1dc5053b652368641d84b2410a36","2097152":"03fc09b9bd9ac2c3a73e423f2f51914cb6b0b0c9b6ec744bf462d4067036e6e464","4194304":"02a7b5e07e6be24400acd469d52ac5afc48228b1cbe23ba88946f96072c8899848","8388608":"03a2e9ac77839a1f70472516966bd66373c70606470b4f41a43679181ee543e962","16777216":"02fb35621865958fed61a676c710bf8b4a3c44ecba76e943da9a8ee79501699a60","33554432":"03a978f21dc874412ac7f98c52acf143d7eca0ebb19e165525a52e712a0deec1c0","67108864":"03c73f2502d6ddb78b8e7ee2ed982069e2569e9f02e6fd786bd00c186909fc420f","134217728":"02d327067e51443ea35069187e3676c99025dc6a9dbde8447479a5fc5880c662d4","268435456":"0357ffd7cb76ae11c538af78a2c148c0879706d5addbc075fe05f1eb8f962a4ed7","536870912":"034047007c6d12d33d79fdad6553d15ba14aa7c4a82fd640d76715514216fc31e8","1073741824":"02723b6a8aaef112ceeadaf9af36ae2de2f09dd5d2905bf8c365638ed380b3e6f3","2147483648":"02d6f802528e17c74c2ff14a33fba988b55ec068717a07f4ee8113442c0681189b"}');
CREATE TABLE keyset_sums (
    keyset_id TEXT PRIMARY KEY,
    amount INTEGER NOT NULL CHECK (amount >= 0),
    proofs INTEGER NOT NULL CHECK (proofs >= 0)
  ) STRICT, WITHOUT ROWID;
INSERT INTO keyset_sums VALUES ('0139d0084d1c00f833feb2dc60c86fc278fc11f816c57c2c011c7def86a3656b7c', 33, 2);
CREATE TABLE elsewhere (
    keyset_id TEXT PRIMARY KEY,
    start INTEGER NOT NULL CHECK (start >= 0),
    seen_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE TABLE restore_positions (
    words_hash TEXT NOT NULL,
    keyset_id TEXT NOT NULL,
    next INTEGER NOT NULL,
    last_signed INTEGER NOT NULL,
    done INTEGER NOT NULL CHECK (done IN (0, 1)),
    PRIMARY KEY (words_hash, keyset_id)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE test_tokens (
    operation INTEGER PRIMARY KEY REFERENCES operations (number),
    mint TEXT NOT NULL,
    amount INTEGER NOT NULL,
    memo TEXT,
    token TEXT NOT NULL UNIQUE
  ) STRICT;
CREATE TABLE attributions (
    operation INTEGER PRIMARY KEY REFERENCES operations (number),
    agent TEXT,
    label TEXT,
    CHECK (agent IS NOT NULL OR label IS NOT NULL)
  ) STRICT;
CREATE TABLE key_operations (
    operation INTEGER PRIMARY KEY REFERENCES operations (number),
    key TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
INSERT INTO key_operations VALUES (2, '682480b8-92fe-43a2-8b8f-ae20df757fa5', 1795176003000);
CREATE INDEX inputs_operation ON inputs (operation);
CREATE INDEX proofs_free ON proofs (keyset_id, amount, y) WHERE held_by IS NULL;
CREATE INDEX proofs_held ON proofs (held_by) WHERE held_by IS NOT NULL;
CREATE TRIGGER proof_added AFTER INSERT ON proofs WHEN new.held_by IS NULL BEGIN
    UPDATE totals SET balance = balance + new.amount;
  END;
CREATE TRIGGER proof_held AFTER UPDATE OF held_by ON proofs
    WHEN old.held_by IS NULL AND new.held_by IS NOT NULL BEGIN
    UPDATE totals SET balance = balance - new.amount;
  END;
CREATE TRIGGER proof_freed AFTER UPDATE OF held_by ON proofs
    WHEN old.held_by IS NOT NULL AND new.held_by IS NULL BEGIN
    UPDATE totals SET balance = balance + new.amount;
  END;
CREATE TRIGGER proof_gone AFTER DELETE ON proofs WHEN old.held_by IS NULL BEGIN
    UPDATE totals SET balance = balance - old.amount;
  END;
CREATE TRIGGER counters_only_grow BEFORE UPDATE ON counters WHEN new.next < old.next BEGIN
    SELECT RAISE(ABORT, 'a counter would step back');
  END;
CREATE INDEX answers_age ON answers (created_at);
CREATE INDEX operations_pending ON operations (number) WHERE state = 'pending';
CREATE INDEX operations_recheck ON operations (recheck_at) WHERE recheck_at IS NOT NULL;
CREATE INDEX operations_unredeemed ON operations (number) WHERE kind = 'send' AND state = 'completed' AND spent = 0;
CREATE INDEX operations_subject ON operations (subject) WHERE subject IS NOT NULL;
CREATE TRIGGER keyset_proof_added AFTER INSERT ON proofs WHEN new.held_by IS NULL BEGIN
    INSERT INTO keyset_sums VALUES (new.keyset_id, new.amount, 1)
      ON CONFLICT DO UPDATE SET amount = amount + new.amount, proofs = proofs + 1;
  END;
CREATE TRIGGER keyset_proof_held AFTER UPDATE OF held_by ON proofs
    WHEN old.held_by IS NULL AND new.held_by IS NOT NULL BEGIN
    UPDATE keyset_sums SET amount = amount - new.amount, proofs = proofs - 1 WHERE keyset_id = new.keyset_id;
  END;
CREATE TRIGGER keyset_proof_freed AFTER UPDATE OF held_by ON proofs
    WHEN old.held_by IS NOT NULL AND new.held_by IS NULL BEGIN
    INSERT INTO keyset_sums VALUES (new.keyset_id, new.amount, 1)
      ON CONFLICT DO UPDATE SET amount = amount + new.amount, proofs = proofs + 1;
  END;
CREATE TRIGGER keyset_proof_gone AFTER DELETE ON proofs WHEN old.held_by IS NULL BEGIN
    UPDATE keyset_sums SET amount = amount - old.amount, proofs = proofs - 1 WHERE keyset_id = old.keyset_id;
  END;
CREATE INDEX attributions_agent ON attributions (agent, operation) WHERE agent IS NOT NULL;
CREATE INDEX key_operations_day ON key_operations (created_at, key);
PRAGMA user_version = 5;
