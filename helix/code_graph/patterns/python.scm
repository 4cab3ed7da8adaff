(class_definition name: (identifier) @name) @def.class
(function_definition name: (identifier) @name) @def.function
(module (expression_statement (assignment left: (identifier) @name) @def.constant))
(class_definition superclasses: (argument_list [(identifier) @extends (attribute object: (_) @on attribute: (identifier) @extends)]))
(call function: (identifier) @call)
(call function: (attribute object: (_) @on attribute: (identifier) @call))
(attribute object: (_) @on attribute: (identifier) @use)
(identifier) @use
(assignment left: (identifier) @var right: (call function: [(identifier) @type (attribute attribute: (identifier) @type)]))
(assignment left: (attribute) @var right: (call function: [(identifier) @type (attribute attribute: (identifier) @type)]))
(assignment left: [(identifier) (attribute)] @var type: (type (identifier) @type))
(typed_parameter (identifier) @var type: (type (identifier) @type))
(with_item value: (as_pattern (call function: [(identifier) @type (attribute attribute: (identifier) @type)]) alias: (as_pattern_target (identifier) @var)))
(import_statement) @import
(import_from_statement) @import
