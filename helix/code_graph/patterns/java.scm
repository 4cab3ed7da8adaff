(class_declaration name: (identifier) @name) @def.class
(interface_declaration name: (identifier) @name) @def.interface
(enum_declaration name: (identifier) @name) @def.enum
(record_declaration name: (identifier) @name) @def.class
(annotation_type_declaration name: (identifier) @name) @def.interface
(method_declaration name: (identifier) @name) @def.function
(constructor_declaration name: (identifier) @name) @def.function
(superclass [(type_identifier) @extends (generic_type (type_identifier) @extends)])
(super_interfaces (type_list [(type_identifier) @extends (generic_type (type_identifier) @extends)]))
(extends_interfaces (type_list [(type_identifier) @extends (generic_type (type_identifier) @extends)]))
(method_invocation !object name: (identifier) @call)
(method_invocation object: (_) @on name: (identifier) @call)
(method_reference . (_) @on (identifier) @call .)
(object_creation_expression type: [(type_identifier) @call (generic_type (type_identifier) @call)])
(type_identifier) @use
(marker_annotation name: (identifier) @use)
(annotation name: (identifier) @use)
(field_access object: (identifier) @on field: (identifier) @use)
(field_declaration type: [(type_identifier) @type (generic_type (type_identifier) @type)] declarator: (variable_declarator name: (identifier) @field))
(local_variable_declaration type: [(type_identifier) @type (generic_type (type_identifier) @type)] declarator: (variable_declarator name: (identifier) @var))
(formal_parameter type: [(type_identifier) @type (generic_type (type_identifier) @type)] name: (identifier) @var)
(import_declaration) @import
(package_declaration (_) @package)
