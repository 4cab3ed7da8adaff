(class_declaration name: (identifier) @name) @def.class
(class_heritage (identifier) @extends)
(jsx_opening_element name: (identifier) @call)
(jsx_self_closing_element name: (identifier) @call)
