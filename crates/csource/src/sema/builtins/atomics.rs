//! `__sync_…` and `__atomic_…`: generic over the type behind their first argument.

use super::super::analyser::Analyser;
use super::super::expressions::Purpose;
use super::BuiltinCall;
use crate::tree::Expr;
use crate::types::TypeId;

/// What an argument after the pointer is.
#[derive(Clone, Copy)]
enum Operand {
    /// A value of the pointed-to type.
    Value,
    /// A pointer to it.
    Pointer,
    /// An `int`: memory order or a flag.
    Int,
}

/// What the builtin gives.
#[derive(Clone, Copy)]
enum Gives {
    Nothing,
    Value,
    Bool,
}

/// The arguments after the pointer and the result, for the generic builtins.
fn signature(name: &str) -> Option<(&'static [Operand], Gives)> {
    use Gives::{Bool, Nothing};
    use Operand::{Int, Pointer, Value};
    if let Some(stem) = name.strip_prefix("__sync_") {
        return Some(match stem {
            "bool_compare_and_swap" => (&[Value, Value], Bool),
            "val_compare_and_swap" => (&[Value, Value], Gives::Value),
            "lock_test_and_set" => (&[Value], Gives::Value),
            "lock_release" => (&[], Nothing),
            _ if is_update(stem.strip_prefix("fetch_and_").or_else(|| stem.strip_suffix("_and_fetch"))) => {
                (&[Value], Gives::Value)
            }
            _ => return None,
        });
    }
    let stem = name.strip_prefix("__atomic_")?;
    Some(match stem {
        "load_n" => (&[Int], Gives::Value),
        "load" => (&[Pointer, Int], Nothing),
        "store_n" => (&[Value, Int], Nothing),
        "store" => (&[Pointer, Int], Nothing),
        "exchange_n" => (&[Value, Int], Gives::Value),
        "exchange" => (&[Pointer, Pointer, Int], Nothing),
        "compare_exchange_n" => (&[Pointer, Value, Int, Int, Int], Bool),
        "compare_exchange" => (&[Pointer, Pointer, Int, Int, Int], Bool),
        "test_and_set" => (&[Int], Bool),
        "clear" => (&[Int], Nothing),
        _ if is_update(stem.strip_prefix("fetch_").or_else(|| stem.strip_suffix("_fetch"))) => {
            (&[Value, Int], Gives::Value)
        }
        _ => return None,
    })
}

fn is_update(operation: Option<&str>) -> bool {
    matches!(operation, Some("add" | "sub" | "and" | "or" | "xor" | "nand"))
}

impl Analyser<'_> {
    /// A call of a builtin with one of the two prefixes.
    pub fn atomic_builtin(&mut self, call: &BuiltinCall<'_>) -> Expr {
        match &*call.name {
            "__sync_synchronize" => {
                let arguments = self.values(call);
                let void = self.common.void;
                return self.builtin_node(call, arguments, void);
            }
            "__atomic_thread_fence" | "__atomic_signal_fence" => {
                if !self.has_arguments(call, 1, 1) {
                    return self.error_expr(call.span);
                }
                let (int, void) = (self.common.int, self.common.void);
                let arguments = self.values(call);
                let converted = arguments
                    .into_iter()
                    .map(|argument| self.assign_convert(argument, int, Purpose::Pass))
                    .collect();
                return self.builtin_node(call, converted, void);
            }
            "__atomic_always_lock_free" | "__atomic_is_lock_free" => return self.lock_free(call),
            _ => {}
        }
        match signature(&call.name) {
            Some((operands, gives)) => self.generic_atomic(call, operands, gives),
            None => self.unknown_builtin(call),
        }
    }

    /// Sizes up to a machine word are free of locks; the rest is said not to be.
    fn lock_free(&mut self, call: &BuiltinCall<'_>) -> Expr {
        if !self.has_arguments(call, 2, 2) {
            return self.error_expr(call.span);
        }
        let size = self.value(&call.arguments[0]);
        self.without_evaluation(|this| this.value(&call.arguments[1]), |_, _| false);
        match self.fold_integer(&size) {
            Some(bytes) => self.int_constant(u128::from(matches!(bytes, 1 | 2 | 4 | 8)), call.span),
            None => self.unknown_builtin(call),
        }
    }

    fn generic_atomic(&mut self, call: &BuiltinCall<'_>, operands: &[Operand], gives: Gives) -> Expr {
        // The `__sync` family takes a list of protected variables after its arguments.
        let most = if call.name.starts_with("__sync_") { usize::MAX } else { operands.len() + 1 };
        if !self.has_arguments(call, operands.len() + 1, most) {
            return self.error_expr(call.span);
        }
        let mut arguments = self.values(call).into_iter();
        let Some(pointer) = arguments.next() else { return self.error_expr(call.span) };
        let Some(target) = self.types().pointee(pointer.ty.id) else {
            if !self.is_error(pointer.ty.id) {
                let message =
                    format!("`{}` needs a pointer first, not `{}`", call.name, self.show(pointer.ty));
                self.error("not-a-pointer", pointer.span, message);
            }
            return self.error_expr(call.span);
        };
        let by_value =
            operands.iter().any(|operand| matches!(operand, Operand::Value)) || matches!(gives, Gives::Value);
        if by_value && !self.types().is_scalar(target.id) {
            let message = format!("`{}` cannot work on `{}`", call.name, self.show(target));
            self.error("not-scalar", pointer.span, message);
            return self.error_expr(call.span);
        }
        let to_target = self.types_mut().pointer(target.id);
        let mut converted = vec![pointer];
        for (operand, argument) in operands.iter().zip(arguments) {
            converted.push(self.atomic_operand(*operand, argument, target.id, to_target));
        }
        let ty = match gives {
            Gives::Nothing => self.common.void,
            Gives::Value => target.id,
            Gives::Bool => self.common.bool,
        };
        self.builtin_node(call, converted, ty)
    }

    fn atomic_operand(
        &mut self,
        operand: Operand,
        argument: Expr,
        target: TypeId,
        to_target: TypeId,
    ) -> Expr {
        match operand {
            // GCC converts without a word, as a cast would.
            Operand::Value if self.types().is_scalar(argument.ty.id) => {
                self.cast_implicitly(argument, target)
            }
            Operand::Value => self.assign_convert(argument, target, Purpose::Pass),
            Operand::Pointer if self.types().is_pointer(argument.ty.id) => {
                self.cast_implicitly(argument, to_target)
            }
            Operand::Pointer => self.assign_convert(argument, to_target, Purpose::Pass),
            Operand::Int => {
                let int = self.common.int;
                self.assign_convert(argument, int, Purpose::Pass)
            }
        }
    }
}
