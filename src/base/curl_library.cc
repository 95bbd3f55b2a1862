#include "base/curl_library.h"

#include <cstdarg>
#include <string>

#include <curl/curl.h>
#include <dlfcn.h>

#include "base/check.h"
#include "base/log.h"

namespace gateleg {
namespace {

// The name that the packaged library's version 7 and 8 have.
constexpr const char* kLibrary = "libcurl.so.4";

// Null if it cannot be loaded. Never closed: it may have threads and exit handlers.
void* library() {
    static void* const loaded = [] {
        void* handle = ::dlopen(kLibrary, RTLD_LAZY | RTLD_LOCAL);
        if (handle == nullptr) {
            const char* reason = ::dlerror();
            log_error(
                "libcurl cannot be loaded", {{"reason", reason != nullptr ? reason : kLibrary}}
            );
        }
        return handle;
    }();
    return loaded;
}

template <class Function>
Function find(const char* name) {
    void* const handle = library();
    GATELEG_CHECK(handle != nullptr);
    auto* const found = reinterpret_cast<Function>(::dlsym(handle, name));
    GATELEG_CHECK(found != nullptr);
    return found;
}

}  // namespace

Result<void> load_curl() {
    if (library() == nullptr) {
        return service_unavailable("libcurl is not installed");
    }
    return {};
}

}  // namespace gateleg

// NOLINTBEGIN(cppcoreguidelines-pro-type-vararg): these are libcurl's own signatures.
#define GATELEG_CURL(result, name, parameters, arguments)                      \
    result(name) parameters {                                                  \
        static auto* const function = gateleg::find<decltype(&(name))>(#name); \
        return function arguments;                                             \
    }
// The last argument is a long, a curl_off_t or a pointer, each of the size of a pointer.
static_assert(sizeof(long) == sizeof(void*) && sizeof(curl_off_t) == sizeof(void*));
#define GATELEG_CURL_OPTION(result, name, handle, option)                      \
    result(name)(handle on, option which, ...) {                               \
        static auto* const function = gateleg::find<decltype(&(name))>(#name); \
        va_list rest;                                                          \
        va_start(rest, which);                                                 \
        void* const value = va_arg(rest, void*);                               \
        va_end(rest);                                                          \
        return function(on, which, value);                                     \
    }

extern "C" {

GATELEG_CURL(CURLcode, curl_global_init, (long flags), (flags))
GATELEG_CURL(void, curl_free, (void* text), (text))
GATELEG_CURL(curl_slist*, curl_slist_append, (curl_slist * list, const char* text), (list, text))
GATELEG_CURL(void, curl_slist_free_all, (curl_slist * list), (list))

GATELEG_CURL(CURLU*, curl_url, (), ())
GATELEG_CURL(void, curl_url_cleanup, (CURLU * url), (url))
GATELEG_CURL(
    CURLUcode,
    curl_url_get,
    (CURLU * url, CURLUPart what, char** part, unsigned flags),
    (url, what, part, flags)
)
GATELEG_CURL(
    CURLUcode,
    curl_url_set,
    (CURLU * url, CURLUPart what, const char* part, unsigned flags),
    (url, what, part, flags)
)

GATELEG_CURL(CURL*, curl_easy_init, (), ())
GATELEG_CURL(void, curl_easy_cleanup, (CURL * handle), (handle))
GATELEG_CURL(void, curl_easy_reset, (CURL * handle), (handle))
GATELEG_CURL(CURLcode, curl_easy_perform, (CURL * handle), (handle))
GATELEG_CURL(const char*, curl_easy_strerror, (CURLcode code), (code))
GATELEG_CURL_OPTION(CURLcode, curl_easy_setopt, CURL*, CURLoption)
GATELEG_CURL_OPTION(CURLcode, curl_easy_getinfo, CURL*, CURLINFO)

GATELEG_CURL(CURLM*, curl_multi_init, (), ())
GATELEG_CURL(CURLMcode, curl_multi_cleanup, (CURLM * multi), (multi))
GATELEG_CURL(CURLMcode, curl_multi_add_handle, (CURLM * multi, CURL* handle), (multi, handle))
GATELEG_CURL(CURLMcode, curl_multi_remove_handle, (CURLM * multi, CURL* handle), (multi, handle))
GATELEG_CURL(CURLMcode, curl_multi_perform, (CURLM * multi, int* running), (multi, running))
GATELEG_CURL(CURLMsg*, curl_multi_info_read, (CURLM * multi, int* left), (multi, left))
GATELEG_CURL(CURLMcode, curl_multi_wakeup, (CURLM * multi), (multi))
GATELEG_CURL(
    CURLMcode,
    curl_multi_poll,
    (CURLM * multi, curl_waitfd* more, unsigned count, int millis, int* ready),
    (multi, more, count, millis, ready)
)
GATELEG_CURL_OPTION(CURLMcode, curl_multi_setopt, CURLM*, CURLMoption)

}  // extern "C"
// NOLINTEND(cppcoreguidelines-pro-type-vararg)
#undef GATELEG_CURL_OPTION
#undef GATELEG_CURL
