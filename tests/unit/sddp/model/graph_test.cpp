#include "sddp/model/graph.hpp"

#include <gtest/gtest.h>

namespace lockstep::sddp {
namespace {

TEST(GraphTest, WithoutNodesStagesFollowEachOther) {
    const Graph graph({}, 3);
    EXPECT_EQ(graph.nodes(), 3);
    EXPECT_EQ(graph.stages(), 3);
    EXPECT_TRUE(graph.is_tree());
    ASSERT_EQ(graph.after(1).size(), 1u);
    EXPECT_EQ(graph.after(1)[0], (PolicyGraph::Arc{1, 2, 1}));
    EXPECT_TRUE(graph.after(2).empty());
    EXPECT_EQ(graph.before(0), -1);
    EXPECT_EQ(graph.before(2), 1);
    EXPECT_TRUE(graph.is_leaf(2));
}

/// One node, then two, which both go on to the last one.
PolicyGraph diamond() {
    PolicyGraph graph;
    graph.nodes = {{7, 0, -1, {}}, {5, 1, -1, {}}, {6, 1, -1, {}}, {9, 2, -1, {}}};
    graph.arcs = {{0, 1, 0.25}, {0, 2, 0.75}, {1, 3, 1}, {2, 3, 1}};
    return graph;
}

TEST(GraphTest, KnowsTheNodesOfAStage) {
    const Graph graph(diamond(), 3);
    EXPECT_EQ(graph.first(1), 1);
    EXPECT_EQ(graph.width(1), 2);
    EXPECT_EQ(graph.width(2), 1);
    EXPECT_EQ(graph.stage(3), 2);
    EXPECT_EQ(graph.before(3), 1);
    EXPECT_FALSE(graph.is_tree());
}

TEST(GraphTest, GoesOnByProbability) {
    const Graph graph(diamond(), 3);
    EXPECT_EQ(graph.next(0, 0), 1);
    EXPECT_EQ(graph.next(0, 0.2499), 1);
    EXPECT_EQ(graph.next(0, 0.25), 2);
    EXPECT_EQ(graph.next(0, 0.9999), 2);
}

}  // namespace
}  // namespace lockstep::sddp
