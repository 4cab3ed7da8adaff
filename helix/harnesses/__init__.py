"""The programs that run agents, as projects know them: files with what an agent is told, and folders of skills."""
