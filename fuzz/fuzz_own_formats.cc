// What this program wrote itself and reads again: records of objects, logs, marks, lists of
// backups, tokens, anchors. The first byte chooses. Damage is told, never followed.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <unistd.h>

#include "base/check.h"
#include "engine/clock_guard.h"
#include "engine/idempotency.h"
#include "objects/internal/records.h"
#include "storage/backup_files.h"
#include "storage/internal/high_water_mark.h"
#include "storage/internal/wal_scan.h"
#include "storage/store.h"

namespace {

namespace fs = std::filesystem;
namespace objects = gateleg::objects::internal;
namespace storage = gateleg::storage;

// What can be read is written again as the same record.
template <class Record>
void expect_stable(const Record& record, Record (*again)(std::string_view)) {
    if (record) {
        const auto bytes = objects::encode(*record);
        const auto decoded = again(bytes);
        GATELEG_CHECK(decoded.has_value());
        GATELEG_CHECK(objects::encode(*decoded) == bytes);
    }
}

void read_records(std::string_view bytes) {
    expect_stable(objects::decode_bucket(bytes), &objects::decode_bucket);
    expect_stable(objects::decode_object(bytes), &objects::decode_object);
    expect_stable(objects::decode_upload(bytes), &objects::decode_upload);
    expect_stable(objects::decode_part(bytes), &objects::decode_part);
    GATELEG_CHECK(
        objects::decode_object(bytes).has_value() <= objects::decode_summary(bytes).has_value()
    );
    static_cast<void>(objects::parse_bucket_key(bytes));
    static_cast<void>(objects::parse_object_key(bytes));
    static_cast<void>(objects::parse_upload_key(bytes));
    static_cast<void>(objects::parse_part_key(bytes));
    static_cast<void>(objects::parse_body_key(bytes));
}

void scan_log(std::string_view bytes) {
    const auto scan = storage::internal::scan_wal(bytes);
    GATELEG_CHECK(scan.bytes <= bytes.size());
    GATELEG_CHECK(scan.next_sequence >= scan.first_sequence);
    if (scan.damage) {
        GATELEG_CHECK(scan.damage->offset <= bytes.size());
    }
    // A manifest is cut where this says, and must be whole then.
    if (const auto damage = storage::internal::find_log_damage(bytes)) {
        GATELEG_CHECK(damage->offset + damage->bytes == bytes.size());
        GATELEG_CHECK(!storage::internal::find_log_damage(bytes.substr(0, damage->offset)));
    }
}

const fs::path& folder() {
    static const auto path = [] {
        auto made = fs::temp_directory_path() / ("fuzz-formats-" + std::to_string(::getpid()));
        fs::create_directories(made / "backup");
        return made;
    }();
    return path;
}

void write(const fs::path& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

void read_mark(std::string_view bytes) {
    write(folder() / "MARK", bytes);
    const auto mark = storage::internal::HighWaterMarkFile::load(folder() / "MARK");
    GATELEG_CHECK(!mark || bytes.size() >= 78);
}

void read_backup_list(std::string_view bytes) {
    write(folder() / "backup" / storage::kBackupListName, bytes);
    try {
        storage::copy_listed_files(folder() / "backup", folder() / "to");
    } catch (const storage::StoreOpenError&) {
        return;
    }
    // A list that is whole and names nothing that is not there.
    for (const auto& entry : fs::recursive_directory_iterator(folder() / "to")) {
        GATELEG_CHECK(!entry.is_regular_file());
    }
}

void read_small(std::string_view bytes) {
    if (const auto token = gateleg::engine::decode_token(bytes)) {
        GATELEG_CHECK(gateleg::engine::encode_token(*token) == bytes);
    }
    if (const auto anchor = gateleg::engine::decode_anchor(bytes)) {
        GATELEG_CHECK(gateleg::engine::encode_anchor(*anchor) == bytes);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    switch (data[0] % 8) {
        case 0:
        case 1:
        case 2:
            read_records(bytes);
            break;
        case 3:
        case 4:
            scan_log(bytes);
            break;
        case 5:
            read_mark(bytes);
            break;
        case 6:
            read_backup_list(bytes);
            break;
        default:
            read_small(bytes);
    }
    return 0;
}
