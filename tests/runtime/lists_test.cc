// Lists go from stored bytes to JSON without a tree (model/item_form.h). What they show is what the
// trees show that everything else works on, byte for byte: of the demo data of the five systems and
// of items drawn at random.

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "model/access.h"
#include "model/database.h"
#include "model/demo.h"
#include "model/item_form.h"
#include "model/listing.h"
#include "model/recognise.h"
#include "model/surface.h"
#include "model/taken_item.h"
#include "systems/registry.h"
#include "tests/runtime/fixture.h"
#include "tests/runtime/random_items.h"
#include "value/json_tree.h"

namespace gateleg::model {
namespace {

using value::AttributeValue;
using value::Item;

constexpr const char* kSystems[] = {
    "figureforge", "gallery", "membership", "moderation", "stories"};

const std::vector<Caller>& callers() {
    static const std::vector<Caller> kCallers = {
        Caller{.viewer = "a hash"},
        user("u1"),
        user("u2", {"user"}),
        user("mod", {"moderator"}),
        user("boss", {"admin", "service"}),
        internal("u1")};
    return kCallers;
}

// The way over trees.
std::string tree_json(
    const Model& model,
    const Pattern& pattern,
    const Entity& entity,
    Item attributes,
    const Caller& caller
) {
    auto value = show_of_pattern(model, pattern, entity, std::move(attributes), caller, kStart);
    const auto& kinds = pattern.returned();
    if (kinds.size() > 1) {
        std::get<value::Map>(value.data)
            .insert_or_assign(
                discriminator(model), AttributeValue{discriminator_value(entity, kinds)}
            );
    }
    std::string out;
    value::append_plain_json(out, value);
    return out;
}

std::string form_json(
    const ItemForm& form, const StoredItem& item, bool limited, ItemForm::Memory& memory
) {
    std::string out;
    {
        value::JsonSink sink(out, 0);
        form.write(sink, item, limited, memory);
    }
    return out;
}

// The five systems with their C++ and demo data, and how much was compared.
class ListsTest : public testing::Test {
protected:
    ListsTest() {
        for (const auto* name : kSystems) {
            worlds_[name] = std::make_unique<World>(name);
        }
    }

    void load_demos() {
        auto& clock = worlds_.begin()->second->clock;
        services_ = std::make_unique<systems::Services>(systems::Services{
            .clock = clock, .real_clock = clock, .secret = "x", .test_mode = true});
        for (const auto& [name, world] : worlds_) {
            services_->runtimes[name] = world->runtime.get();
        }
        installed_ = systems::install_systems(*services_);
        for (const auto& [name, world] : worlds_) {
            const auto loaded = load_demo(systems::find_system(name)->demo, *world->runtime);
            ASSERT_TRUE(loaded) << name << ": " << loaded.error().message;
        }
    }

    std::vector<Item> all_of(World& world) {
        std::vector<Item> all;
        Database database(world.model->table, *world.engine, nullptr);
        std::optional<Item> start;
        do {
            auto page = database.scan(start);
            EXPECT_TRUE(page);
            all.insert(all.end(), page->items.begin(), page->items.end());
            start = page->next;
        } while (start);
        return all;
    }

    // One item by every pattern that could show it, for every caller.
    void compare_item(const Model& model, const Item& raw) {
        const auto bytes = value::encode_item(raw);
        const Recogniser recogniser(model);
        Recogniser::Memory recognised;
        layout_.read(bytes.view());
        const auto* entity = recognise(model, raw);
        for (const auto& pattern : model.patterns) {
            if (pattern.get) {
                continue;
            }
            const auto& form = forms_of(model).of(pattern);
            const auto item = form.marks().find(bytes.view(), layout_, places_[&pattern]);
            for (const auto mark : {Mark::kPartition, Mark::kIndexSort, Mark::kMarker}) {
                ASSERT_EQ(item.find(mark), form.marks().find(bytes.view()).find(mark));
            }
            ASSERT_EQ(recogniser.find(item.look(), recognised), entity) << to_json({raw});
            ASSERT_EQ(recogniser.find(item.look(), recognised), entity) << to_json({raw});
            ASSERT_EQ(
                item.is_expired(std::to_string(kStart / 1000)), is_expired(model.table, raw, kStart)
            );
            const auto* shown = entity != nullptr ? form.find(*entity) : nullptr;
            if (shown != nullptr) {
                compare_shown(model, pattern, *shown, item, raw);
            }
        }
    }

    void compare_shown(
        const Model& model,
        const Pattern& pattern,
        const ItemForm& form,
        const StoredItem& item,
        const Item& raw
    ) {
        const auto& entity = form.entity();
        const auto attributes = to_attributes(model, entity, raw);
        for (std::size_t who = 0; who < callers().size(); ++who) {
            const auto& caller = callers()[who];
            auto environment = make_environment(model, caller, kStart);
            auto& memory = memories_[{&form, who}];
            form.look(layout_, memory);
            if (form.visible() && !caller.internal) {
                const bool expected = is_visible(entity, attributes, caller, environment);
                ASSERT_EQ(form.holds(*form.visible(), item, environment, memory), expected)
                    << pattern.name << " " << to_json({raw});
                ++seen_[expected];
            }
            if (form.only()) {
                auto tree = environment;
                tree.item = &attributes;
                const auto expected = holds(*pattern.only, tree);
                ASSERT_EQ(
                    form.holds(*form.only(), item, environment, memory), expected && *expected
                ) << pattern.name
                  << " " << to_json({raw});
            }
            if (pattern.range && entity.find_attribute(pattern.range->name) != nullptr) {
                const auto found = attributes.find(pattern.range->name);
                ASSERT_EQ(
                    form.range_value(item),
                    found != attributes.end() ? std::optional(found->second) : std::nullopt
                ) << pattern.name
                  << " " << to_json({raw});
            }
            const bool limited =
                form.has_limit() && !caller.internal &&
                !(form.full() && form.holds(*form.full(), item, environment, memory));
            ASSERT_EQ(
                form_json(form, item, limited, memory),
                tree_json(model, pattern, entity, attributes, caller)
            ) << pattern.name
              << " " << to_json({raw});
            ++items_compared_;
            limited_ += limited ? 1 : 0;
        }
    }

    // A list page by page, by both ways.
    void compare_list(
        World& world, const Pattern& pattern, PatternCall call, const Caller& caller
    ) {
        for (int pages = 0; pages < 20; ++pages) {
            const auto listing = list_items(*world.runtime, pattern, call, caller);
            const auto page = world.runtime->query(pattern, call, caller);
            ASSERT_EQ(bool(listing), bool(page)) << pattern.name;
            if (!listing) {
                ASSERT_EQ(listing.error().code, page.error().code);
                ASSERT_EQ(listing.error().message, page.error().message);
                return;
            }
            std::string items;
            for (std::size_t at = 0; at < page->items.size(); ++at) {
                items += items.empty() ? "" : ",";
                items +=
                    tree_json(*world.model, pattern, *page->kinds[at], page->items[at], caller);
            }
            ASSERT_EQ(listing->items, items) << pattern.name;
            ASSERT_EQ(listing->cursor, page->cursor) << pattern.name;
            ASSERT_EQ(listing->partial, page->partial) << pattern.name;
            ASSERT_EQ(listing->count, page->count) << pattern.name;
            listed_ += page->items.size();
            if (!page->cursor) {
                return;
            }
            call.cursor = page->cursor;
        }
    }

    // Every list, asked with the attributes of an item that may be in it.
    void compare_lists(World& world, const Entity& entity, const Item& attributes) {
        static const std::optional<int> kLimits[] = {std::nullopt, 1, 3, 100};
        for (const auto& pattern : world.model->patterns) {
            if (pattern.get || pattern.entities.front() != &entity) {
                continue;
            }
            PatternCall call;
            const auto argument = [&](const std::string& name, const std::string& as) {
                const auto found = attributes.find(name);
                if (found != attributes.end()) {
                    call.arguments[as] =
                        value_to_api(entity.find_attribute(name), AttributeValue(found->second));
                }
            };
            for (const auto& by : pattern.by) {
                argument(by.name, by.name);
            }
            ++asked_;
            if (pattern.range && asked_ % 3 == 0) {
                argument(pattern.range->name, "from");
            }
            if (pattern.range && asked_ % 4 == 0) {
                argument(pattern.range->name, "to");
            }
            call.limit = kLimits[asked_ % 4];
            if (pattern.order == Pattern::Order::kEither && asked_ % 2 == 0) {
                call.descending = true;
            }
            auto who = callers();
            // Of lists of one's own.
            for (const auto& fixed : pattern.fixed) {
                const auto found = attributes.find(fixed.attribute);
                const auto* id = found != attributes.end()
                                     ? std::get_if<std::string>(&found->second.data)
                                     : nullptr;
                if (id != nullptr) {
                    who.push_back(user(*id));
                }
            }
            for (const auto& caller : who) {
                compare_list(world, pattern, call, caller);
                if (HasFatalFailure()) {
                    return;
                }
            }
        }
    }

    PatternForms& forms_of(const Model& model) {
        auto& forms = forms_[&model];
        if (!forms) {
            forms = std::make_unique<PatternForms>(model);
        }
        return *forms;
    }

    std::map<std::string, std::unique_ptr<World>> worlds_;
    std::unique_ptr<systems::Services> services_;
    systems::InstalledServices installed_;
    std::map<const Model*, std::unique_ptr<PatternForms>> forms_;
    // Kept from item to item, as a list does.
    ItemLayout layout_;
    std::map<const Pattern*, ItemMarks::Places> places_;
    std::map<std::pair<const ItemForm*, std::size_t>, ItemForm::Memory> memories_;
    std::size_t items_compared_ = 0;
    std::size_t limited_ = 0;
    std::map<bool, std::size_t> seen_;
    std::size_t listed_ = 0;
    std::size_t asked_ = 0;
};

TEST_F(ListsTest, TheDemosAreShownAsTheirTreesAre) {
    load_demos();
    for (const auto& [name, world] : worlds_) {
        const auto before = listed_;
        const auto items = all_of(*world);
        ASSERT_GT(items.size(), 5U) << name;
        for (const auto& raw : items) {
            compare_item(*world->model, raw);
            if (const auto* entity = recognise(*world->model, raw)) {
                compare_lists(*world, *entity, to_attributes(*world->model, *entity, raw));
            }
            ASSERT_FALSE(HasFatalFailure()) << name;
        }
        EXPECT_GT(listed_, before + 10) << name;
    }
    EXPECT_GT(items_compared_, 1'000U);
}

TEST_F(ListsTest, ItemsDrawnAtRandomAreShownAsTheirTreesAre) {
    for (const auto& [name, world] : worlds_) {
        const auto& model = *world->model;
        RandomItems random(model, 1);
        for (const auto& entity : model.entities) {
            int good = 0;
            for (int round = 0; round < 30; ++round) {
                const auto raw = random.raw(entity);
                good += raw.empty() ? 0 : 1;
                if (!raw.empty()) {
                    compare_item(model, raw);
                    ASSERT_FALSE(HasFatalFailure()) << name;
                }
            }
            EXPECT_GT(good, 0) << name << "." << entity.name;
        }
    }
    EXPECT_GT(items_compared_, 20'000U);
    EXPECT_GT(limited_, 100U);
    EXPECT_GT(seen_[true], 1'000U);
    EXPECT_GT(seen_[false], 1'000U);
}

TEST_F(ListsTest, ListsOfRandomItemsAreThoseOfTheirTrees) {
    for (const auto& [name, world] : worlds_) {
        const auto& model = *world->model;
        RandomItems random(model, 2);
        std::vector<std::pair<const Entity*, Item>> stored;
        for (const auto& entity : model.entities) {
            for (int round = 0; round < 12; ++round) {
                if (const auto raw = random.raw(entity); !raw.empty() && world->put_tree(raw)) {
                    stored.emplace_back(&entity, to_attributes(model, entity, raw));
                }
            }
        }
        const auto before = listed_;
        for (std::size_t at = 0; at < stored.size(); at += 3) {
            compare_lists(*world, *stored[at].first, stored[at].second);
            ASSERT_FALSE(HasFatalFailure()) << name;
        }
        EXPECT_GT(listed_, before + 100) << name;
    }
}

}  // namespace
}  // namespace gateleg::model
