(function_item name: (identifier) @name) @def.function
(function_signature_item name: (identifier) @name) @def.function
(struct_item name: (type_identifier) @name) @def.struct
(enum_item name: (type_identifier) @name) @def.enum
(trait_item name: (type_identifier) @name) @def.interface
(type_item name: (type_identifier) @name) @def.type
(const_item name: (identifier) @name) @def.constant
(static_item name: (identifier) @name) @def.constant
(macro_definition name: (identifier) @name) @def.function
(impl_item type: [(type_identifier) @name (generic_type type: (type_identifier) @name)]) @scope
(impl_item trait: [(type_identifier) @extends (generic_type type: (type_identifier) @extends)])
(call_expression function: (identifier) @call)
(call_expression function: (scoped_identifier path: (_) @on name: (identifier) @call))
(call_expression function: (field_expression value: (_) @on field: (field_identifier) @call))
(call_expression function: (generic_function function: (identifier) @call))
(call_expression function: (generic_function function: (scoped_identifier path: (_) @on name: (identifier) @call)))
(macro_invocation macro: (identifier) @call)
(scoped_identifier path: (_) @on name: (identifier) @use)
(scoped_type_identifier path: (_) @on name: (type_identifier) @use)
(identifier) @use
(type_identifier) @use
(let_declaration pattern: (identifier) @var value: (call_expression function: (scoped_identifier path: (identifier) @type)))
(let_declaration pattern: (identifier) @var value: (struct_expression name: (type_identifier) @type))
(let_declaration pattern: (identifier) @var type: (type_identifier) @type)
(parameter pattern: (identifier) @var type: [(type_identifier) @type (reference_type type: (type_identifier) @type)])
(use_declaration) @import
