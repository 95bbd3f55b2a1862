#include "app/dynamodb_local.h"

#include <gtest/gtest.h>

#include "app/config.h"

namespace gateleg::app {
namespace {

using Words = std::vector<std::string>;

TEST(DynamoDbLocalTest, ItsUsualCommandLinesAreUnderstood) {
    EXPECT_EQ(
        translate_dynamodb_local(
            {"-Djava.library.path=./DynamoDBLocal_lib", "-jar", "DynamoDBLocal.jar", "-sharedDb"}
        ),
        (Words{
            "serve",
            "--dynamodb",
            "127.0.0.1:8000",
            "--compat",
            "dynamodb-local",
            "--http",
            "off",
            "--s3",
            "off"})
    );
    EXPECT_EQ(
        translate_dynamodb_local(
            {"-jar",
             "DynamoDBLocal.jar",
             "-inMemory",
             "-port",
             "9001",
             "-cors",
             "http://a,http://b"}
        ),
        (Words{
            "serve",
            "--memory",
            "--origin",
            "http://a",
            "--origin",
            "http://b",
            "--dynamodb",
            "127.0.0.1:9001",
            "--compat",
            "dynamodb-local",
            "--http",
            "off",
            "--s3",
            "off"})
    );
    EXPECT_EQ(
        translate_dynamodb_local(
            {"-dbPath",
             "/data",
             "-optimizeDbBeforeStartup",
             "-delayTransientStatuses",
             "-cors",
             "*",
             "-disableTelemetry"}
        ),
        (Words{
            "serve",
            "--data",
            "/data",
            "--dynamodb",
            "127.0.0.1:8000",
            "--compat",
            "dynamodb-local",
            "--http",
            "off",
            "--s3",
            "off"})
    );
}

TEST(DynamoDbLocalTest, OwnOptionsArePassedOn) {
    EXPECT_EQ(
        translate_dynamodb_local(
            {"-jar",
             "DynamoDBLocal.jar",
             "-inMemory",
             "--dynamodb",
             "0.0.0.0:8000",
             "--insecure",
             "--anonymous"}
        ),
        (Words{
            "serve",
            "--memory",
            "--dynamodb",
            "0.0.0.0:8000",
            "--insecure",
            "--anonymous",
            "--compat",
            "dynamodb-local",
            "--http",
            "off",
            "--s3",
            "off"})
    );
}

TEST(DynamoDbLocalTest, InAContainerItIsReachedFromOutside) {
    EXPECT_EQ(
        translate_dynamodb_local({"-jar", "DynamoDBLocal.jar", "-port", "9001"}, true),
        (Words{
            "serve",
            "--dynamodb",
            "0.0.0.0:9001",
            "--insecure",
            "--anonymous",
            "--compat",
            "dynamodb-local",
            "--http",
            "off",
            "--s3",
            "off"})
    );
}

TEST(DynamoDbLocalTest, VersionAndHelpAreOurs) {
    EXPECT_EQ(
        translate_dynamodb_local({"-jar", "DynamoDBLocal.jar", "-version"}), (Words{"--version"})
    );
    const auto help = translate_dynamodb_local({"-help"});
    ASSERT_TRUE(help);
    EXPECT_EQ((*help)[1], "--help");
}

TEST(DynamoDbLocalTest, TheBannerSaysWhatItIsSetTo) {
    Config config;
    config.memory = true;
    config.version = "1.0";
    config.dynamodb = Address{"127.0.0.1", 8000};
    config.origins = {"http://a", "http://b"};
    EXPECT_EQ(
        dynamodb_local_banner(config),
        "Initializing DynamoDB Local with the following configuration:\n"
        "Port:\t8000\nInMemory:\ttrue\nVersion:\tgateleg 1.0\nDbPath:\tnull\nSharedDb:\ttrue\n"
        "shouldDelayTransientStatuses:\tfalse\nCorsParams:\thttp://a,http://b\n\n"
    );
}

TEST(DynamoDbLocalTest, OtherCommandLinesAreLeftAlone) {
    for (const auto& words : {Words{}, Words{"serve"}, Words{"--help"}, Words{"-h"}, Words{"-"}}) {
        EXPECT_EQ(translate_dynamodb_local(words), std::nullopt);
    }
}

TEST(DynamoDbLocalTest, WhatItDoesNotKnowIsRefused) {
    EXPECT_THROW(translate_dynamodb_local({"-inmemory"}), ConfigError);
    EXPECT_THROW(translate_dynamodb_local({"-jar", "x", "more"}), ConfigError);
    EXPECT_THROW(translate_dynamodb_local({"-port"}), ConfigError);
}

}  // namespace
}  // namespace gateleg::app
