//! Prototypes of library functions that the compiler knows by itself: behind `__builtin_X`, and for calls without a
//! declaration.
//!
//! A prototype is written as one letter per type, the result first; see [`Analyser::type_of_letter`].

use super::super::analyser::{Analyser, Linked};
use crate::tree::FunctionId;
use crate::types::{FloatKind, FunctionType, IntegerKind, Type, TypeId, TypeRef};
use base::{Span, Symbol};
use std::borrow::Cow;

const FIXED: &[(&str, &str)] = &[
    ("memcpy", "ppPz"),
    ("memmove", "ppPz"),
    ("mempcpy", "ppPz"),
    ("memset", "ppiz"),
    ("memcmp", "iPPz"),
    ("memchr", "pPiz"),
    ("bcmp", "iPPz"),
    ("bcopy", "vPpz"),
    ("bzero", "vpz"),
    ("strlen", "zS"),
    ("strnlen", "zSz"),
    ("strcpy", "ssS"),
    ("strncpy", "ssSz"),
    ("stpcpy", "ssS"),
    ("stpncpy", "ssSz"),
    ("strcat", "ssS"),
    ("strncat", "ssSz"),
    ("strcmp", "iSS"),
    ("strncmp", "iSSz"),
    ("strcasecmp", "iSS"),
    ("strncasecmp", "iSSz"),
    ("strchr", "sSi"),
    ("strrchr", "sSi"),
    ("index", "sSi"),
    ("rindex", "sSi"),
    ("strstr", "sSS"),
    ("strpbrk", "sSS"),
    ("strspn", "zSS"),
    ("strcspn", "zSS"),
    ("strdup", "sS"),
    ("strndup", "sSz"),
    ("malloc", "pz"),
    ("calloc", "pzz"),
    ("realloc", "ppz"),
    ("aligned_alloc", "pzz"),
    ("free", "vp"),
    ("abs", "ii"),
    ("labs", "ll"),
    ("llabs", "LL"),
    ("abort", "v"),
    ("exit", "vi"),
    ("_exit", "vi"),
    ("_Exit", "vi"),
    ("printf", "iS."),
    ("fprintf", "ipS."),
    ("sprintf", "isS."),
    ("snprintf", "iszS."),
    ("vprintf", "iSV"),
    ("vfprintf", "ipSV"),
    ("vsprintf", "isSV"),
    ("vsnprintf", "iszSV"),
    ("scanf", "iS."),
    ("fscanf", "ipS."),
    ("sscanf", "iSS."),
    ("vscanf", "iSV"),
    ("vfscanf", "ipSV"),
    ("vsscanf", "iSSV"),
    ("puts", "iS"),
    ("putchar", "ii"),
    ("fputs", "iSp"),
    ("fputc", "iip"),
    ("putc", "iip"),
    ("fwrite", "zPzzp"),
    ("putchar_unlocked", "ii"),
    ("puts_unlocked", "iS"),
    ("fputs_unlocked", "iSp"),
    ("fputc_unlocked", "iip"),
    ("fwrite_unlocked", "zPzzp"),
    ("isalnum", "ii"),
    ("isalpha", "ii"),
    ("isascii", "ii"),
    ("isblank", "ii"),
    ("iscntrl", "ii"),
    ("isdigit", "ii"),
    ("isgraph", "ii"),
    ("islower", "ii"),
    ("isprint", "ii"),
    ("ispunct", "ii"),
    ("isspace", "ii"),
    ("isupper", "ii"),
    ("isxdigit", "ii"),
    ("toascii", "ii"),
    ("tolower", "ii"),
    ("toupper", "ii"),
    ("fork", "i"),
    ("__memcpy_chk", "ppPzz"),
    ("__memmove_chk", "ppPzz"),
    ("__mempcpy_chk", "ppPzz"),
    ("__memset_chk", "ppizz"),
    ("__strcpy_chk", "ssSz"),
    ("__stpcpy_chk", "ssSz"),
    ("__strcat_chk", "ssSz"),
    ("__strncpy_chk", "ssSzz"),
    ("__stpncpy_chk", "ssSzz"),
    ("__strncat_chk", "ssSzz"),
];

/// Functions of floats: the prototype with `d` for the function's own type.
const MATH: &[(&str, &str)] = &[
    ("acos", "dd"),
    ("acosh", "dd"),
    ("asin", "dd"),
    ("asinh", "dd"),
    ("atan", "dd"),
    ("atan2", "ddd"),
    ("atanh", "dd"),
    ("cbrt", "dd"),
    ("ceil", "dd"),
    ("copysign", "ddd"),
    ("cos", "dd"),
    ("cosh", "dd"),
    ("erf", "dd"),
    ("erfc", "dd"),
    ("exp", "dd"),
    ("exp2", "dd"),
    ("exp10", "dd"),
    ("expm1", "dd"),
    ("fabs", "dd"),
    ("fdim", "ddd"),
    ("floor", "dd"),
    ("fma", "dddd"),
    ("fmax", "ddd"),
    ("fmin", "ddd"),
    ("fmod", "ddd"),
    ("frexp", "ddI"),
    ("hypot", "ddd"),
    ("ilogb", "id"),
    ("j0", "dd"),
    ("j1", "dd"),
    ("jn", "did"),
    ("ldexp", "ddi"),
    ("lgamma", "dd"),
    ("llrint", "Ld"),
    ("llround", "Ld"),
    ("log", "dd"),
    ("log10", "dd"),
    ("log1p", "dd"),
    ("log2", "dd"),
    ("logb", "dd"),
    ("lrint", "ld"),
    ("lround", "ld"),
    ("modf", "ddD"),
    ("nearbyint", "dd"),
    ("nextafter", "ddd"),
    ("nexttoward", "dde"),
    ("pow", "ddd"),
    ("remainder", "ddd"),
    ("remquo", "dddI"),
    ("rint", "dd"),
    ("round", "dd"),
    ("roundeven", "dd"),
    ("scalbln", "ddl"),
    ("scalbn", "ddi"),
    ("sin", "dd"),
    ("sincos", "vdDD"),
    ("sinh", "dd"),
    ("sqrt", "dd"),
    ("tan", "dd"),
    ("tanh", "dd"),
    ("tgamma", "dd"),
    ("trunc", "dd"),
    ("y0", "dd"),
    ("y1", "dd"),
    ("yn", "did"),
];

/// The prototype of a library function, in letters.
fn prototype_letters(name: &str) -> Option<Cow<'static, str>> {
    if let Some((_, letters)) = FIXED.iter().find(|(known, _)| *known == name) {
        return Some(Cow::Borrowed(letters));
    }
    let math = |stem: &str| MATH.iter().find(|(known, _)| *known == stem).map(|(_, letters)| *letters);
    if let Some(letters) = math(name) {
        return Some(Cow::Borrowed(letters));
    }
    for (suffix, plain, pointer) in [("f128", 'q', 'Q'), ("f", 'f', 'G'), ("l", 'e', 'E')] {
        if let Some(letters) = name.strip_suffix(suffix).and_then(math) {
            let with_type = letters.chars().map(|letter| match letter {
                'd' => plain,
                'D' => pointer,
                other => other,
            });
            return Some(Cow::Owned(with_type.collect()));
        }
    }
    None
}

impl Analyser<'_> {
    /// The type a letter stands for.
    pub fn type_of_letter(&mut self, letter: char) -> TypeId {
        match letter {
            'v' => self.common.void,
            'b' => self.common.bool,
            'i' => self.common.int,
            'u' => self.common.unsigned,
            'l' => self.common.long,
            'm' => self.types_mut().integer(IntegerKind::UnsignedLong),
            'L' => self.types_mut().integer(IntegerKind::LongLong),
            'M' => self.types_mut().integer(IntegerKind::UnsignedLongLong),
            'h' => self.types_mut().integer(IntegerKind::UnsignedShort),
            'x' => self.types_mut().integer(IntegerKind::UnsignedInt128),
            'z' => self.common.size,
            'd' => self.common.double,
            'f' => self.types_mut().float(FloatKind::Float),
            'e' => self.types_mut().float(FloatKind::LongDouble),
            'q' => self.types_mut().float(FloatKind::Float128),
            'p' => self.common.void_pointer,
            'P' => self.const_pointer(self.common.void),
            's' => self.pointer_to_letter('c'),
            'S' => self.const_pointer(self.common.char),
            'c' => self.common.char,
            'I' => self.pointer_to_letter('i'),
            'D' => self.pointer_to_letter('d'),
            'G' => self.pointer_to_letter('f'),
            'E' => self.pointer_to_letter('e'),
            'Q' => self.pointer_to_letter('q'),
            'V' => {
                let list = self.types_mut().va_list();
                self.adjust_parameter(list.into()).id
            }
            _ => self.common.error,
        }
    }

    pub fn pointer_to_letter(&mut self, letter: char) -> TypeId {
        let to = self.type_of_letter(letter);
        self.types_mut().pointer(to)
    }

    fn const_pointer(&mut self, to: TypeId) -> TypeId {
        let mut to = TypeRef::from(to);
        to.qualifiers.is_const = true;
        self.types_mut().pointer(to)
    }

    /// The function type of a library function that the compiler knows.
    pub fn library_prototype(&mut self, name: &str) -> Option<TypeId> {
        let letters = prototype_letters(name)?;
        let mut letters = letters.chars();
        let result = self.type_of_letter(letters.next()?).into();
        let mut parameters = Vec::new();
        let mut is_variadic = false;
        for letter in letters {
            if letter == '.' {
                is_variadic = true;
            } else {
                parameters.push(self.type_of_letter(letter));
            }
        }
        let function = FunctionType { result, parameters, is_variadic, has_prototype: true };
        Some(self.types_mut().intern(Type::Function(function)))
    }

    /// The function that `__builtin_X` stands for, when `X` is an ordinary library function.
    pub fn library_function_behind(&mut self, name: Symbol) -> Option<FunctionId> {
        let text = self.shared_text(name);
        self.library_function(text.strip_prefix("__builtin_")?)
    }

    /// A library function: the unit's own declaration if it has one, else one with the prototype the compiler knows.
    pub fn library_function(&mut self, plain: &str) -> Option<FunctionId> {
        let ty = self.library_prototype(plain)?;
        let name = self.session.names.intern(plain);
        match self.linked.get(&name) {
            Some(Linked::Function(id)) if !self.unit.functions[*id].is_static => return Some(*id),
            _ => {}
        }
        if let Some(&id) = self.library.get(&name) {
            return Some(id);
        }
        let id = self.new_function(name, ty, Span::NOWHERE);
        self.unit.functions[id].is_noreturn = matches!(plain, "abort" | "exit" | "_exit" | "_Exit");
        self.library.insert(name, id);
        if let std::collections::hash_map::Entry::Vacant(free) = self.linked.entry(name) {
            free.insert(Linked::Function(id));
            self.assumed_functions.insert(id);
        }
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::prototype_letters;

    #[test]
    fn suffixes_give_the_other_float_types() {
        assert_eq!(prototype_letters("sqrt").as_deref(), Some("dd"));
        assert_eq!(prototype_letters("sqrtf").as_deref(), Some("ff"));
        assert_eq!(prototype_letters("modfl").as_deref(), Some("eeE"));
        assert_eq!(prototype_letters("fabsf128").as_deref(), Some("qq"));
        assert_eq!(prototype_letters("lroundf").as_deref(), Some("lf"));
        assert_eq!(prototype_letters("frobnicate"), None);
    }
}
