"""The engine over PostgreSQL with pgvector, for who outgrows one machine. Loaded where `index` names one."""
