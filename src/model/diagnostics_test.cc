#include "model/diagnostics.h"

#include <gtest/gtest.h>

namespace gateleg::model {
namespace {

TEST(DiagnosticsTest, AreSortedByPlaceAndCountOnce) {
    Diagnostics diagnostics("m.yaml");
    diagnostics.warning("K07", {9, 1}, "later");
    diagnostics.error("K02", {3, 7}, "message", "suggestion");
    diagnostics.error("K02", {3, 7}, "message", "suggestion");
    EXPECT_EQ(
        diagnostics.to_text(),
        "m.yaml:3:7: error K02: message (suggestion)\nm.yaml:9:1: warning K07: later\n"
    );
    EXPECT_EQ(diagnostics.count(Severity::kError), 1U);
    EXPECT_TRUE(diagnostics.has_errors());
}

TEST(DiagnosticsTest, TheFileAsAWholeHasNoPlace) {
    Diagnostics diagnostics("m.yaml");
    diagnostics.error("Y02", {}, "there is no such file");
    EXPECT_EQ(diagnostics.to_text(), "m.yaml: error Y02: there is no such file\n");
}

TEST(DiagnosticsTest, JsonHasEveryPart) {
    Diagnostics diagnostics("m.yaml");
    diagnostics.info("K10", {1, 2}, "a \"b\"");
    EXPECT_EQ(
        diagnostics.to_json(),
        R"({"diagnostics":[{"file":"m.yaml","line":1,"column":2,"severity":"info","id":"K10",)"
        R"("message":"a \"b\""}],"errors":0,"warnings":0,"infos":1})"
    );
}

TEST(DiagnosticsTest, NearestNameIsATypingErrorAway) {
    EXPECT_EQ(nearest_name("atributes", {"keys", "attributes"}), "attributes");
    EXPECT_EQ(nearest_name("titel", {"text", "title"}), "title") << "two letters swapped are one";
    EXPECT_EQ(nearest_name("zebra", {"keys", "attributes"}), "");
}

}  // namespace
}  // namespace gateleg::model
