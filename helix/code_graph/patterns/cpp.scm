(class_specifier name: (type_identifier) @name body: (_)) @def.class
(function_definition declarator: (function_declarator declarator: (field_identifier) @name)) @def.function
(function_definition declarator: (function_declarator declarator: (qualified_identifier scope: (_) @container name: (_) @name))) @def.function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier scope: (_) @container name: (_) @name)))) @def.function
(function_definition declarator: (reference_declarator (function_declarator declarator: (qualified_identifier scope: (_) @container name: (_) @name)))) @def.function
(base_class_clause (type_identifier) @extends)
(call_expression function: (qualified_identifier scope: (_) @on name: (identifier) @call))
(declaration type: (type_identifier) @type declarator: [(identifier) @var (init_declarator declarator: (identifier) @var)
  (pointer_declarator declarator: (identifier) @var) (init_declarator declarator: (pointer_declarator declarator: (identifier) @var))])
(parameter_declaration type: (type_identifier) @type declarator: [(identifier) @var (pointer_declarator declarator: (identifier) @var)
  (reference_declarator (identifier) @var)])
