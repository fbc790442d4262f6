BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0003');
CREATE TABLE "call" (
	id INTEGER NOT NULL, 
	run_id INTEGER, 
	match_id INTEGER, 
	ply INTEGER NOT NULL, 
	seat TEXT NOT NULL, 
	decision INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	attempt INTEGER NOT NULL, 
	label TEXT NOT NULL, 
	model TEXT NOT NULL, 
	prompt_tokens INTEGER, 
	cached_tokens INTEGER, 
	completion_tokens INTEGER, 
	reasoning_tokens INTEGER, 
	cost FLOAT, 
	priced_by TEXT NOT NULL, 
	reserved FLOAT NOT NULL, 
	latency_ms FLOAT, 
	started_at TEXT NOT NULL, 
	finish_reason TEXT, 
	read_by TEXT, 
	error_kind TEXT, 
	error TEXT, 
	http_status INTEGER, 
	retry_after FLOAT, 
	flags TEXT NOT NULL, 
	asked_text INTEGER, 
	sent_text INTEGER, 
	opening_text INTEGER, 
	body BLOB NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT fk_call_opening_text FOREIGN KEY(opening_text) REFERENCES text (id), 
	FOREIGN KEY(match_id) REFERENCES "match" (id), 
	FOREIGN KEY(sent_text) REFERENCES text (id), 
	FOREIGN KEY(run_id) REFERENCES run (id), 
	FOREIGN KEY(asked_text) REFERENCES text (id)
);
INSERT INTO "call" VALUES(1,1,1,0,'red',0,'act',1,'p0','openai/any',700,NULL,45,NULL,0.001,'file',0.0,NULL,'2026-05-04T12:00:00.000250+00:00',NULL,NULL,NULL,NULL,NULL,NULL,'[]',2,1,3,X'010000A64A2B26358DC10EC22010447F85CC9943F5C8C50F010E889B146D0181A66908FFEE5AE36D263BEF6DC78B7283D2939CAC442E693DABC656A9406A2C2192B840FEC295C33EBB2662DA6FB09699EA675A1D54473B324121DD9FE41B0F0BBDB750E8C13E38DF428A157648F8141B457E836EFE070325B4415EDC2118119176C3E3D35233936C6E65A3D1E1E7143CD52F60C707');
CREATE TABLE inbox (
	id INTEGER NOT NULL, 
	match_id INTEGER NOT NULL, 
	seat TEXT NOT NULL, 
	decision INTEGER NOT NULL, 
	text TEXT NOT NULL, 
	put_at TEXT NOT NULL, 
	used_at TEXT, 
	PRIMARY KEY (id), 
	FOREIGN KEY(match_id) REFERENCES "match" (id)
);
INSERT INTO "inbox" VALUES(1,2,'red',0,'pass','2026-11-30T17:11:21.778380+00:00',NULL);
CREATE TABLE "match" (
	id INTEGER NOT NULL, 
	run_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	game TEXT NOT NULL, 
	game_index INTEGER NOT NULL, 
	options TEXT NOT NULL, 
	scenario TEXT, 
	seed INTEGER NOT NULL, 
	pack INTEGER NOT NULL, 
	rotation INTEGER NOT NULL, 
	status TEXT NOT NULL, 
	why TEXT, 
	plies INTEGER NOT NULL, 
	reason TEXT, 
	outcome TEXT, 
	versions TEXT NOT NULL, 
	parent_id INTEGER, 
	parent_ply INTEGER, 
	started_at TEXT, 
	ended_at TEXT, 
	claimed_by TEXT, 
	claimed_until TEXT, 
	start_hash TEXT, 
	start_events TEXT NOT NULL, 
	start TEXT, lineage TEXT, 
	PRIMARY KEY (id), 
	UNIQUE (run_id, number), 
	FOREIGN KEY(run_id) REFERENCES run (id), 
	FOREIGN KEY(parent_id) REFERENCES "match" (id)
);
INSERT INTO "match" VALUES(1,1,0,'so_long_sucker',0,'{"chips":3}',NULL,100,0,0,'finished',NULL,2,'last alive','{"winners":["red"],"places":{"red":1,"blue":2,"green":3,"yellow":4},"reason":"last alive"}','{"rules":"1"}',NULL,NULL,'2026-11-30T17:11:21.769592+00:00','2026-11-30T17:11:21.775670+00:00',NULL,NULL,'h','[{"kind":"dealt","audience":"all"}]','{"pile":["red"]}',NULL);
INSERT INTO "match" VALUES(2,1,1,'so_long_sucker',0,'{"chips":3}',NULL,101,0,0,'paused','quota',0,NULL,NULL,'{}',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'[]',NULL,NULL);
CREATE TABLE message (
	match_id INTEGER NOT NULL, 
	seq INTEGER NOT NULL, 
	ply INTEGER NOT NULL, 
	sender TEXT NOT NULL, 
	addressee TEXT NOT NULL, 
	text TEXT NOT NULL, 
	cut BOOLEAN NOT NULL, 
	talk BOOLEAN NOT NULL, 
	call_id INTEGER, 
	PRIMARY KEY (match_id, seq), 
	FOREIGN KEY(match_id) REFERENCES "match" (id), 
	FOREIGN KEY(call_id) REFERENCES call (id)
);
INSERT INTO "message" VALUES(1,0,1,'red','all','hello',0,0,1);
INSERT INTO "message" VALUES(1,1,1,'blue','all','0000d800',0,0,NULL);
CREATE TABLE pledge (
	match_id INTEGER NOT NULL, 
	seq INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	addressee TEXT NOT NULL, 
	turns INTEGER NOT NULL, 
	condition TEXT, 
	PRIMARY KEY (match_id, seq, number), 
	FOREIGN KEY(match_id, seq) REFERENCES message (match_id, seq)
);
INSERT INTO "pledge" VALUES(1,0,0,'donate','blue',4,'spare');
CREATE TABLE run (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	spec TEXT NOT NULL, 
	source TEXT NOT NULL, 
	seed INTEGER NOT NULL, 
	status TEXT NOT NULL, 
	why TEXT, 
	versions TEXT NOT NULL, 
	created_at TEXT NOT NULL, 
	ended_at TEXT, 
	PRIMARY KEY (id), 
	UNIQUE (name)
);
INSERT INTO "run" VALUES(1,'first','{"name":"first"}','name: first',7,'running',NULL,'{}','2026-05-04T12:00:00.000250+00:00',NULL);
CREATE TABLE seat (
	match_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	seat TEXT NOT NULL, 
	label TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	model TEXT, 
	persona TEXT, 
	identity TEXT NOT NULL, 
	place INTEGER, 
	PRIMARY KEY (match_id, number), 
	FOREIGN KEY(match_id) REFERENCES "match" (id)
);
INSERT INTO "seat" VALUES(1,0,'red','p0','bot','greedy',NULL,'id0',1);
INSERT INTO "seat" VALUES(1,1,'blue','p1','bot','greedy',NULL,'id1',2);
INSERT INTO "seat" VALUES(1,2,'green','p2','bot','greedy',NULL,'id2',3);
INSERT INTO "seat" VALUES(1,3,'yellow','p3','bot','greedy',NULL,'id3',4);
INSERT INTO "seat" VALUES(2,0,'red','p0','bot','greedy',NULL,'id0',NULL);
INSERT INTO "seat" VALUES(2,1,'blue','p1','bot','greedy',NULL,'id1',NULL);
INSERT INTO "seat" VALUES(2,2,'green','p2','bot','greedy',NULL,'id2',NULL);
INSERT INTO "seat" VALUES(2,3,'yellow','p3','bot','greedy',NULL,'id3',NULL);
CREATE TABLE text (
	id INTEGER NOT NULL, 
	hash BLOB NOT NULL, 
	body BLOB NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (hash)
);
INSERT INTO "text" VALUES(1,X'4CA717BAAF1559F657BB348FFDB053998CA96A3952FCB90C67CEBB862A8CF29A',X'789CAB562A49CD2D482D4A2C292D4A55B232D0B3D051CA4DAC882FC9CF4ECD2B56B2323630A80500EB690C31');
INSERT INTO "text" VALUES(2,X'4F6A87B0B7199C542FCB246FCB5DB9E4950832746CA129892AE8287B86788CA5',X'789CAB562A49CD2D482D4A2C292D4A55B232D0B3A8050047E006BB');
INSERT INTO "text" VALUES(3,X'6E79DC2433095DC59BA855E4CCD98124D41BD637B24CD82C04071B64AB0BDCD6',X'789C8B562AC94855282ACD492D56D201B34B129372529562016D5F0862');
CREATE TABLE turn (
	match_id INTEGER NOT NULL, 
	ply INTEGER NOT NULL, 
	seat TEXT NOT NULL, 
	action TEXT NOT NULL, 
	source TEXT NOT NULL, 
	position_hash TEXT NOT NULL, 
	events TEXT NOT NULL, 
	decision INTEGER NOT NULL, 
	plan_index INTEGER NOT NULL, 
	call_id INTEGER, 
	shown_index INTEGER, 
	legal_count INTEGER NOT NULL, 
	at TEXT NOT NULL, 
	thoughts TEXT, 
	notes TEXT, 
	dropped TEXT NOT NULL, 
	plan_fault TEXT, 
	talk TEXT, 
	PRIMARY KEY (match_id, ply), 
	FOREIGN KEY(match_id) REFERENCES "match" (id), 
	FOREIGN KEY(call_id) REFERENCES call (id)
);
INSERT INTO "turn" VALUES(1,1,'red','play red new','player','0000000000000000000000000000000000000000000000000000000000000001','[{"kind":"played","audience":"all","color":"red"}]',0,0,1,NULL,0,'2026-05-04T12:00:00.000250+00:00','hm','n','[]',NULL,'["red"]');
INSERT INTO "turn" VALUES(1,2,'blue','play red new','fallback','0000000000000000000000000000000000000000000000000000000000000002','[{"kind":"played","audience":"all","color":"red"}]',1,0,NULL,NULL,0,'2026-05-04T12:00:00.000250+00:00',NULL,NULL,'[]',NULL,NULL);
CREATE INDEX ix_match_run_status ON "match" (run_id, status);
CREATE INDEX ix_turn_sums ON turn (match_id, seat, source, decision);
CREATE INDEX ix_message_sums ON message (match_id, sender);
CREATE INDEX ix_inbox_wanted ON inbox (match_id, seat, decision);
CREATE INDEX ix_match_parent ON "match" (parent_id, parent_ply, run_id);
CREATE INDEX ix_call_run_sums ON call (run_id, match_id, label, prompt_tokens, completion_tokens, cost);
CREATE INDEX ix_call_match_sums ON call (match_id, seat, kind, error_kind, prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens, cost, latency_ms);
COMMIT;
