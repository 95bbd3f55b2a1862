// What this program wrote itself and reads again: records of objects, logs, marks, lists of
// backups, tokens, anchors. The first byte chooses: what it is, by its lowest three bits, and how
// it is read, by the others. Damage is told, never followed.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include <unistd.h>

#include "base/check.h"
#include "base/sha256.h"
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

bool lies_in(const objects::KeyRange& range, std::string_view key) {
    return range.begin <= key && key < range.end;
}

// Keys of a bucket, up to the first zero byte, and an object, the rest: they are read as they were
// written, and lie where one looks for them.
void make_keys(std::string_view bytes) {
    const auto bucket = bytes.substr(0, bytes.find('\0'));
    const auto key = bytes.substr(std::min(bucket.size() + 1, bytes.size()));
    const auto as_bucket = objects::bucket_key(bucket);
    GATELEG_CHECK(objects::parse_bucket_key(as_bucket) == bucket);
    GATELEG_CHECK(lies_in(objects::all_buckets(), as_bucket));

    const auto as_object = objects::object_key(bucket, key);
    const auto object = objects::parse_object_key(as_object);
    GATELEG_CHECK(object && object->bucket == bucket && object->key == key);
    GATELEG_CHECK(lies_in(objects::objects_of(bucket), as_object));
    GATELEG_CHECK(lies_in(objects::all_objects(), as_object));

    const std::string id(32, bytes.empty() ? 'a' : bytes.back());
    const auto as_upload = objects::upload_key(bucket, key, id);
    const auto upload = objects::parse_upload_key(as_upload);
    GATELEG_CHECK(upload && upload->bucket == bucket && upload->key == key);
    GATELEG_CHECK(upload->upload_id == id);
    GATELEG_CHECK(lies_in(objects::uploads_of(bucket), as_upload));
    GATELEG_CHECK(lies_in(objects::all_uploads(), as_upload));
    GATELEG_CHECK(objects::uploads_before(bucket, key) <= as_upload);
    GATELEG_CHECK(objects::uploads_after(bucket, key) > as_upload);
    GATELEG_CHECK(as_upload.starts_with(objects::uploads_prefix(bucket, key)));

    const auto number = static_cast<int>(bytes.size() * 77 % 10'001);
    const auto as_part = objects::part_key(id, number);
    GATELEG_CHECK(objects::parse_part_key(as_part) == number);
    GATELEG_CHECK(lies_in(objects::parts_of(id), as_part));
    GATELEG_CHECK(lies_in(objects::all_parts(), as_part));

    const auto as_body = objects::body_key(id);
    GATELEG_CHECK(objects::parse_body_key(as_body) == id);
    GATELEG_CHECK(lies_in(objects::all_bodies(), as_body));

    const auto after = objects::after_prefix(std::string(bytes));
    if (after.empty()) {
        GATELEG_CHECK(bytes.find_first_not_of('\xFF') == std::string_view::npos);
    } else {
        GATELEG_CHECK(after > std::string(bytes) + '\xFF' && !after.starts_with(bytes));
    }
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
        fs::create_directories(made);
        return made;
    }();
    return path;
}

void write(const fs::path& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string read(const fs::path& path) {
    std::ostringstream out;
    out << std::ifstream(path, std::ios::binary).rdbuf();
    return std::move(out).str();
}

// Several logs: each begins with its length in two bytes, and the last ends where it ends.
void scan_logs(std::string_view bytes) {
    const auto database = folder() / "logs";
    fs::remove_all(database);
    fs::create_directories(database);
    // None of these is a log, whatever it holds.
    for (const auto* name : {"7.sst", "x.log", "7x.log", "99999999999999999999999.log", "LOG"}) {
        write(database / name, bytes);
    }
    constexpr int kMostLogs = 12;  // so that their names are not in the order of their numbers
    std::uint64_t total = 0;
    std::uint64_t records = 0;
    bool damaged = false;
    for (int number = 1; number <= kMostLogs && bytes.size() >= 2; ++number) {
        const auto size = static_cast<std::size_t>(
            static_cast<unsigned char>(bytes[0]) | static_cast<unsigned char>(bytes[1]) << 8
        );
        const auto log = number == kMostLogs ? bytes.substr(2) : bytes.substr(2, size);
        bytes.remove_prefix(2 + log.size());
        write(database / (std::to_string(number) + ".log"), log);
        const auto scan = storage::internal::scan_wal(log);
        total += log.size();
        records += scan.records;
        damaged = damaged || scan.damage;
    }
    const auto all = storage::internal::scan_wals(database);
    GATELEG_CHECK(all.bytes == total);
    GATELEG_CHECK(all.damage.has_value() == damaged);
    if (!all.damage) {
        GATELEG_CHECK(all.records == records);
    } else {
        GATELEG_CHECK(all.records <= records);
        GATELEG_CHECK(all.damage->offset <= fs::file_size(all.damage->file));
    }
}

bool same(
    const storage::internal::HighWaterMark& one, const storage::internal::HighWaterMark& other
) {
    return one.acknowledged == other.acknowledged && one.on_disk == other.on_disk &&
           one.durability == other.durability && one.clean == other.clean &&
           one.boot_id == other.boot_id;
}

// Goes on in a file of any contents: what is written is what is read.
void go_on_with_mark(unsigned how) {
    using storage::internal::HighWaterMarkFile;
    const auto path = folder() / "MARK";
    storage::internal::HighWaterMark mark{
        .acknowledged = 70 + how, .on_disk = how, .clean = how % 2 != 0};
    if (how % 4 != 0) {
        mark.boot_id = how % 4 == 3 ? "another" : storage::internal::current_boot_id();
    }
    GATELEG_CHECK(mark.required() == (mark.from_this_boot() ? mark.acknowledged : mark.on_disk));
    HighWaterMarkFile file(path, mark);
    auto read = HighWaterMarkFile::load(path);
    GATELEG_CHECK(read && same(*read, mark));
    for (const bool sync : {false, true}) {
        ++mark.acknowledged;
        GATELEG_CHECK(file.write(mark, sync));
        read = HighWaterMarkFile::load(path);
        GATELEG_CHECK(read && same(*read, mark));
    }
}

void read_mark(std::string_view bytes, unsigned how) {
    write(folder() / "MARK", bytes);
    const auto mark = storage::internal::HighWaterMarkFile::load(folder() / "MARK");
    GATELEG_CHECK(!mark || bytes.size() >= 78);
    if (mark) {
        GATELEG_CHECK(mark->required() == mark->acknowledged || mark->required() == mark->on_disk);
    }
    if (how != 0) {
        go_on_with_mark(how);
    }
}

// A folder with two files that a list may name, and one that is never listed.
const fs::path& backup() {
    static const auto path = [] {
        auto made = folder() / "backup";
        fs::create_directories(made / "sub");
        write(made / "LOCK", "");
        return made;
    }();
    write(path / "CURRENT", "one\n");
    write(path / "sub" / "2.sst", "two");
    return path;
}

// Whether the files could be copied; those that were are the same there and here.
bool copies_backup() {
    fs::remove_all(folder() / "to");
    bool whole = true;
    try {
        storage::copy_listed_files(backup(), folder() / "to");
    } catch (const storage::StoreOpenError&) {
        whole = false;
    }
    if (fs::exists(folder() / "to")) {
        for (const auto& entry : fs::recursive_directory_iterator(folder() / "to")) {
            if (entry.is_regular_file()) {
                const auto name = entry.path().lexically_relative(folder() / "to");
                GATELEG_CHECK(read(entry.path()) == read(backup() / name));
            }
        }
    }
    return whole;
}

// The bytes as a file of a backup that is listed, copied and then damaged.
void list_backup(std::string_view bytes) {
    const storage::CopyTotals totals{.rows = bytes.size(), .bytes = 3 * bytes.size()};
    write(backup() / "sub" / "1.sst", bytes);
    fs::remove(backup() / storage::kBackupListName);
    GATELEG_CHECK(!storage::is_listed_backup(backup()));
    storage::list_backup_files(backup(), totals);
    GATELEG_CHECK(storage::is_listed_backup(backup()));
    storage::list_backup_files(backup(), totals);  // a list does not list itself
    GATELEG_CHECK(copies_backup());
    for (const auto* name : {"CURRENT", "sub/1.sst", "sub/2.sst"}) {
        GATELEG_CHECK(fs::exists(folder() / "to" / name));
    }
    GATELEG_CHECK(!fs::exists(folder() / "to" / "LOCK"));
    std::string damaged(bytes);
    damaged += damaged.empty() ? 'x' : damaged.back();
    if (damaged.size() % 2 == 0) {
        damaged.pop_back();
        damaged.front() = static_cast<char>(damaged.front() ^ 1);
    }
    write(backup() / "sub" / "1.sst", damaged);
    GATELEG_CHECK(!copies_backup());
    fs::remove(backup() / "sub" / "1.sst");
    GATELEG_CHECK(!copies_backup());
    storage::rename_durably(backup() / storage::kBackupListName, backup() / "OLD");
    GATELEG_CHECK(!copies_backup());
    fs::remove(backup() / "OLD");
}

void read_backup_list(std::string_view bytes, unsigned how) {
    if (how % 4 == 2) {
        list_backup(bytes);
        return;
    }
    std::string list(bytes);
    // No name of a file has a zero byte.
    if (how % 4 == 1 && list.find('\0') == std::string::npos) {
        list += gateleg::to_hex(gateleg::sha256(bytes)) + "\n";
    }
    write(backup() / storage::kBackupListName, list);
    static_cast<void>(copies_backup());
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
    const auto how = data[0] / 8U;
    switch (data[0] % 8) {
        case 0:
        case 1:
        case 2:
            read_records(bytes);
            make_keys(bytes);
            break;
        case 3:
            scan_log(bytes);
            break;
        case 4:
            scan_log(bytes);
            scan_logs(bytes);
            break;
        case 5:
            read_mark(bytes, how);
            break;
        case 6:
            read_backup_list(bytes, how);
            break;
        default:
            read_small(bytes);
    }
    return 0;
}
