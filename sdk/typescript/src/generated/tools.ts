// Made from the daemon's code by `make docs`; do not edit.

import type { ToolDefinition } from "../tools.js";

export const TOOLS = [
  {
    "name": "memory_search",
    "description": "Recall what is known about one question, best match first. Call it before asking the user or guessing. An empty result means nothing relevant is stored. A result with `more` is an excerpt: memory_get has it all.",
    "parameters": {
      "type": "object",
      "properties": {
        "query": {
          "type": "string",
          "description": "Natural-language or keyword query"
        },
        "scope": {
          "type": "string",
          "enum": [
            "project",
            "global",
            "session"
          ],
          "default": "project"
        },
        "filters": {
          "type": "object",
          "properties": {
            "project": {
              "type": "string"
            },
            "kind": {
              "type": "string"
            },
            "tag": {
              "type": "string"
            },
            "status": {
              "type": "string"
            },
            "after": {
              "type": "string"
            },
            "before": {
              "type": "string"
            }
          },
          "additionalProperties": false
        },
        "limit": {
          "type": "integer",
          "minimum": 1,
          "maximum": 50,
          "default": 8
        },
        "max_tokens": {
          "type": "integer",
          "minimum": 64,
          "maximum": 25000,
          "default": 1500
        },
        "response_format": {
          "type": "string",
          "enum": [
            "concise",
            "detailed"
          ],
          "default": "concise"
        },
        "cursor": {
          "type": "string",
          "description": "next_cursor of the page before"
        },
        "include_deleted": {
          "type": "boolean",
          "default": false
        },
        "project": {
          "type": "string"
        },
        "session": {
          "type": "string"
        },
        "as_of": {
          "type": "string",
          "description": "Past time, e.g. 2026-06-18"
        },
        "ref": {
          "type": "string",
          "description": "Git commit, branch or tag"
        }
      },
      "required": [
        "query"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "memory_context",
    "description": "Call first, before starting a task: packs the preferences, decisions, facts and open tasks that bear on it into one cited text within max_tokens.",
    "parameters": {
      "type": "object",
      "properties": {
        "task": {
          "type": "string",
          "description": "What you are about to do"
        },
        "scope": {
          "type": "string",
          "enum": [
            "project",
            "global",
            "session"
          ],
          "default": "project"
        },
        "max_tokens": {
          "type": "integer",
          "minimum": 128,
          "maximum": 25000,
          "default": 4000
        },
        "response_format": {
          "type": "string",
          "enum": [
            "concise",
            "detailed"
          ],
          "default": "concise"
        },
        "project": {
          "type": "string"
        },
        "session": {
          "type": "string"
        },
        "as_of": {
          "type": "string",
          "description": "Past time, e.g. 2026-06-18"
        },
        "ref": {
          "type": "string",
          "description": "Git commit, branch or tag"
        }
      },
      "required": [
        "task"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "memory_write",
    "description": "Keep one decision, preference, fact, snippet or task that a later session will need, with its reason, in words that stand alone. Not chatter, progress notes or secrets. Duplicates merge; a changed value supersedes the old one.",
    "parameters": {
      "type": "object",
      "properties": {
        "text": {
          "type": "string"
        },
        "title": {
          "type": "string"
        },
        "kind": {
          "type": "string",
          "enum": [
            "fact",
            "preference",
            "decision",
            "snippet",
            "task"
          ],
          "default": "fact"
        },
        "scope": {
          "type": "string",
          "enum": [
            "project",
            "global",
            "session"
          ],
          "default": "project"
        },
        "tags": {
          "type": "array",
          "items": {
            "type": "string"
          }
        },
        "importance": {
          "type": "number",
          "minimum": 0,
          "maximum": 1
        },
        "idempotency_key": {
          "type": "string",
          "description": "Retries with same key are no-ops"
        },
        "supersede_hint": {
          "type": "string",
          "description": "ID this write replaces"
        },
        "force": {
          "type": "boolean",
          "default": false,
          "description": "Keep it though it is a duplicate or trivial"
        },
        "allow_secrets": {
          "type": "boolean",
          "default": false
        },
        "project": {
          "type": "string"
        },
        "session": {
          "type": "string"
        }
      },
      "required": [
        "text"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "memory_get",
    "description": "Read one memory in full by id: a search result that was cut, its edges, or where it came from.",
    "parameters": {
      "type": "object",
      "properties": {
        "id": {
          "type": "string"
        },
        "response_format": {
          "type": "string",
          "enum": [
            "concise",
            "detailed"
          ],
          "default": "detailed"
        },
        "max_tokens": {
          "type": "integer",
          "minimum": 64,
          "maximum": 25000,
          "default": 8000
        },
        "cursor": {
          "type": "string"
        },
        "include_deleted": {
          "type": "boolean",
          "default": false
        },
        "as_of": {
          "type": "string",
          "description": "Past time, e.g. 2026-06-18"
        },
        "ref": {
          "type": "string",
          "description": "Git commit, branch or tag"
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "memory_forget",
    "description": "Take a memory that is wrong or unwanted out of all answers. If it merely changed, write the new one with supersede_hint instead.",
    "parameters": {
      "type": "object",
      "properties": {
        "id": {
          "type": "string"
        },
        "mode": {
          "type": "string",
          "enum": [
            "tombstone",
            "hard"
          ],
          "default": "tombstone",
          "description": "hard erases the text for good"
        },
        "idempotency_key": {
          "type": "string"
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false
    }
  },
  {
    "name": "memory_relate",
    "description": "Link two memories by id, e.g. a decision that depends_on or contradicts another.",
    "parameters": {
      "type": "object",
      "properties": {
        "from": {
          "type": "string"
        },
        "to": {
          "type": "string"
        },
        "rel": {
          "type": "string",
          "enum": [
            "supersedes",
            "depends_on",
            "contradicts",
            "refines",
            "relates_to"
          ]
        },
        "idempotency_key": {
          "type": "string"
        }
      },
      "required": [
        "from",
        "to",
        "rel"
      ],
      "additionalProperties": false
    }
  }
] as const satisfies readonly ToolDefinition[];
