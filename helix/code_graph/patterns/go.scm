(function_declaration name: (identifier) @name) @def.function
(method_declaration receiver: (parameter_list (parameter_declaration type: [(type_identifier) @container
  (pointer_type (type_identifier) @container) (pointer_type (generic_type type: (type_identifier) @container))
  (generic_type type: (type_identifier) @container)])) name: (field_identifier) @name) @def.function
(type_spec name: (type_identifier) @name type: (struct_type)) @def.struct
(type_spec name: (type_identifier) @name type: (interface_type)) @def.interface
(type_spec name: (type_identifier) @name) @def.type
(source_file (const_declaration (const_spec name: (identifier) @name) @def.constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @def.constant))
(struct_type (field_declaration_list (field_declaration !name type: [(type_identifier) @extends (pointer_type (type_identifier) @extends)])))
(call_expression function: (identifier) @call)
(call_expression function: (selector_expression operand: (_) @on field: (field_identifier) @call))
(selector_expression operand: (_) @on field: (field_identifier) @use)
(qualified_type package: (package_identifier) @on name: (type_identifier) @use)
(identifier) @use
(type_identifier) @use
(parameter_declaration name: (identifier) @var type: [(type_identifier) @type (pointer_type (type_identifier) @type)
  (qualified_type name: (type_identifier) @type) (pointer_type (qualified_type name: (type_identifier) @type))])
(short_var_declaration left: (expression_list (identifier) @var) right: (expression_list
  [(composite_literal type: (type_identifier) @type) (unary_expression operand: (composite_literal type: (type_identifier) @type))]))
(var_spec name: (identifier) @var type: [(type_identifier) @type (pointer_type (type_identifier) @type)])
(import_spec) @import
