(function_declaration name: (identifier) @name) @def.function
(generator_function_declaration name: (identifier) @name) @def.function
(method_definition name: (_) @name) @def.function
(program (lexical_declaration (variable_declarator name: (identifier) @name) @def.constant))
(program (variable_declaration (variable_declarator name: (identifier) @name) @def.constant))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @def.constant)))
(assignment_expression left: (member_expression object: (_) @container property: (property_identifier) @name)
  right: [(function_expression) (arrow_function)]) @def.assigned
(pair key: (property_identifier) @name value: [(function_expression) (arrow_function)]) @def.assigned
(call_expression function: (identifier) @call)
(call_expression function: (member_expression object: (_) @on property: (property_identifier) @call))
(new_expression constructor: (identifier) @call)
(new_expression constructor: (member_expression object: (_) @on property: (property_identifier) @call))
(member_expression object: (_) @on property: (property_identifier) @use)
(identifier) @use
(shorthand_property_identifier) @use
(variable_declarator name: (identifier) @var value: (new_expression constructor: (identifier) @type))
(assignment_expression left: (member_expression) @var right: (new_expression constructor: (identifier) @type))
(import_statement) @import
(export_statement source: (string)) @import
(variable_declarator name: (_) value: (call_expression function: (identifier) @_r arguments: (arguments (string))) (#eq? @_r "require")) @import
(variable_declarator name: (_) value: (member_expression object: (call_expression function: (identifier) @_r arguments: (arguments (string)))) (#eq? @_r "require")) @import
