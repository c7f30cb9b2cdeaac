#include "compiler/emit/identifiers.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace loam {

bool is_cpp_keyword(std::string_view word) {
  static constexpr auto words = std::to_array<std::string_view>({
      "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
      "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield", "compl", "concept", "const",
      "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype", "default", "delete", "do", "double",
      "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
      "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
      "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires", "return", "short", "signed",
      "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local", "throw",
      "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual", "void", "volatile",
      "wchar_t", "while", "xor", "xor_eq"});
  return std::ranges::binary_search(words, word);
}

bool is_macro(std::string_view word) {
  // What glibc's and the C++ library's headers define, by g++ 12's -dM, and other systems' are named alike.
  static constexpr auto words = std::to_array<std::string_view>({
      "BUFSIZ", "BYTE_ORDER", "CHAR_BIT", "CLOCKS_PER_SEC", "CSIGNAL", "E2BIG", "EACCES", "EADDRINUSE",
      "EADDRNOTAVAIL", "EADV", "EAFNOSUPPORT", "EAGAIN", "EALREADY", "EBADE", "EBADF", "EBADFD", "EBADMSG", "EBADR",
      "EBADRQC", "EBADSLT", "EBFONT", "EBUSY", "ECANCELED", "ECHILD", "ECHRNG", "ECOMM", "ECONNABORTED",
      "ECONNREFUSED", "ECONNRESET", "EDEADLK", "EDEADLOCK", "EDESTADDRREQ", "EDOM", "EDOTDOT", "EDQUOT", "EEXIST",
      "EFAULT", "EFBIG", "EHOSTDOWN", "EHOSTUNREACH", "EHWPOISON", "EIDRM", "EILSEQ", "EINPROGRESS", "EINTR", "EINVAL",
      "EIO", "EISCONN", "EISDIR", "EISNAM", "EKEYEXPIRED", "EKEYREJECTED", "EKEYREVOKED", "EL2HLT", "EL2NSYNC",
      "EL3HLT", "EL3RST", "ELIBACC", "ELIBBAD", "ELIBEXEC", "ELIBMAX", "ELIBSCN", "ELNRNG", "ELOOP", "EMEDIUMTYPE",
      "EMFILE", "EMLINK", "EMSGSIZE", "EMULTIHOP", "ENAMETOOLONG", "ENAVAIL", "ENETDOWN", "ENETRESET", "ENETUNREACH",
      "ENFILE", "ENOANO", "ENOBUFS", "ENOCSI", "ENODATA", "ENODEV", "ENOENT", "ENOEXEC", "ENOKEY", "ENOLCK", "ENOLINK",
      "ENOMEDIUM", "ENOMEM", "ENOMSG", "ENONET", "ENOPKG", "ENOPROTOOPT", "ENOSPC", "ENOSR", "ENOSTR", "ENOSYS",
      "ENOTBLK", "ENOTCONN", "ENOTDIR", "ENOTEMPTY", "ENOTNAM", "ENOTRECOVERABLE", "ENOTSOCK", "ENOTSUP", "ENOTTY",
      "ENOTUNIQ", "ENXIO", "EOF", "EOPNOTSUPP", "EOVERFLOW", "EOWNERDEAD", "EPERM", "EPFNOSUPPORT", "EPIPE", "EPROTO",
      "EPROTONOSUPPORT", "EPROTOTYPE", "ERANGE", "EREMCHG", "EREMOTE", "EREMOTEIO", "ERESTART", "ERFKILL", "EROFS",
      "ESHUTDOWN", "ESOCKTNOSUPPORT", "ESPIPE", "ESRCH", "ESRMNT", "ESTALE", "ESTRPIPE", "ETIME", "ETIMEDOUT",
      "ETOOMANYREFS", "ETXTBSY", "EUCLEAN", "EUNATCH", "EUSERS", "EWOULDBLOCK", "EXDEV", "EXFULL", "INFINITY",
      "LONG_BIT", "L_ctermid", "L_cuserid", "L_tmpnam", "MAXFLOAT", "MAX_CANON", "MAX_INPUT", "NAN", "NFDBITS", "NULL",
      "NZERO", "PIPE_BUF", "P_tmpdir", "TEMP_FAILURE_RETRY", "TIMER_ABSTIME", "TIME_UTC", "WCONTINUED", "WEOF",
      "WEXITED", "WNOHANG", "WNOWAIT", "WORD_BIT", "WSTOPPED", "WUNTRACED", "alloca", "assert", "errno", "linux",
      "math_errhandling", "offsetof", "sched_priority", "stderr", "stdin", "stdout", "unix"});
  static constexpr auto families = std::to_array<std::string_view>(
      {"ADJ_", "ATOMIC_", "CLOCK_", "CLONE_", "CLOSE_RANGE_", "CPU_", "EXIT_", "FD_", "FP_", "F_", "HUGE_VAL", "LC_",
       "L_", "MATH_", "MOD_", "M_1_", "M_2_", "M_E", "M_L", "M_PI", "M_SQRT", "NL_", "PTHREAD_", "RENAME_", "SCHED_",
       "SEEK_", "SNAN", "STA_"});
  static constexpr auto endings =
      std::to_array<std::string_view>({"_ENDIAN", "_FILENO", "_MAX", "_MIN", "_OK", "_WIDTH"});
  if (std::ranges::binary_search(words, word) || word.starts_with("SYS_")) return true;
  // M_PIf128 ends in small letters; what has them before that is no macro of these families.
  const std::string_view stem = word.substr(0, word.size() - std::min<std::size_t>(word.size(), 4));
  if (std::ranges::any_of(stem, [](unsigned char c) { return std::islower(c); })) return false;
  return std::ranges::any_of(families, [&](std::string_view f) { return word.starts_with(f); }) ||
         std::ranges::any_of(endings, [&](std::string_view e) { return word.ends_with(e); });
}

std::string cpp_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += '\\';
      for (const int shift : {6, 3, 0}) out += static_cast<char>('0' + ((byte >> shift) & 7));
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + "\"";
}

std::string comment_text(std::string_view text) {
  std::string out;
  for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 || c == '\\' ? ' ' : c;
  return out;
}

std::string identifier(std::string_view text) {
  constexpr std::size_t longest = 72;
  std::string name;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c))) name += c;
    else if (!name.empty() && name.back() != '_') name += '_';
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  if (name.empty()) name = "x";
  if (std::isdigit(static_cast<unsigned char>(name[0]))) name.insert(0, "x");
  // The end of a long name tells its node apart; the start, its place in the model.
  if (name.size() > longest) name = name.substr(0, 24) + "_" + name.substr(name.size() - (longest - 25));
  return name;
}

bool Identifiers::take(std::string name) {
  if (is_cpp_keyword(name) || is_macro(name)) return false;
  return taken_.insert(std::move(name)).second;
}

std::string Identifiers::mint(std::string_view text) {
  const std::string base = identifier(text);
  // L_2, M_E_2 and their like are of families that headers define: another first letter leaves the family.
  const std::string stem = (is_macro(base + "_2") ? "x" : "") + base + "_";
  std::string name = base;
  for (int n = 2; !take(name); ++n) name = stem + std::to_string(n);
  return name;
}

}  // namespace loam
