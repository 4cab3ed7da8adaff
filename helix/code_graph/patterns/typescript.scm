(class_declaration name: (type_identifier) @name) @def.class
(abstract_class_declaration name: (type_identifier) @name) @def.class
(interface_declaration name: (type_identifier) @name) @def.interface
(enum_declaration name: (identifier) @name) @def.enum
(type_alias_declaration name: (type_identifier) @name) @def.type
(method_signature name: (_) @name) @def.function
(class_heritage (extends_clause value: (identifier) @extends))
(class_heritage (implements_clause (type_identifier) @extends))
(type_identifier) @use
(required_parameter pattern: (identifier) @var type: (type_annotation (type_identifier) @type))
(public_field_definition name: (property_identifier) @field type: (type_annotation (type_identifier) @type))
(variable_declarator name: (identifier) @var type: (type_annotation (type_identifier) @type))
