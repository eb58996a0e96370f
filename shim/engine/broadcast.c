#include "broadcast.h"

static void send_result(struct ftc_op *op, struct ftc_actions *out, int to)
{
    ftc_op_send(op, out, to,
                (struct ftc_message){.kind = FTC_MESSAGE_BROADCAST,
                                     .verdict = op->result.verdict,
                                     .decided = op->result.attempt,
                                     .info = &op->agreed,
                                     .value = op->result.value});
}

/* Sends the result from the root to all other ranks. If the root dies meanwhile, the next attempt
 * takes over. */
static void send_to_everybody(struct ftc_op *op, struct ftc_actions *out)
{
    for (int v = 1; op->vrank == 0 && v < op->config.topology->n; v++)
        send_result(op, out, ftc_topology_swap(v, op->root));
}

static void send_to_children(struct ftc_op *op, struct ftc_actions *out)
{
    const struct ftc_topology *t = op->config.topology;

    for (int v = ftc_topology_first_child(t, op->vrank); v >= 0;
         v = ftc_topology_next_sibling(t, v)) {
        int child = ftc_topology_rank(t, op->root, v);

        if (child >= 0)
            send_result(op, out, child);
    }
}

static void send_to_group(struct ftc_op *op, struct ftc_actions *out)
{
    struct ftc_up_correction_group g = ftc_topology_group(op->config.topology, op->vrank);

    if (g.with_root && op->vrank != 0)
        send_result(op, out, op->root);
    for (int v = g.first; v < g.first + g.count; v++)
        if (v != op->vrank)
            send_result(op, out, ftc_topology_swap(v, op->root));
}

static void send_round_ring(struct ftc_op *op, struct ftc_actions *out)
{
    int n = op->config.topology->n;

    for (int d = 1; d <= op->config.ring_distance && d < n; d++)
        send_result(op, out, ftc_topology_swap((op->vrank + d) % n, op->root));
}

/* Sends the result from a carrier to the members of its group in all other classes, or with ring
 * correction in the next ring_distance classes on the ring of classes. */
static void send_to_classes(struct ftc_op *op, struct ftc_actions *out)
{
    const struct ftc_classes *c = &op->config.topology->classes;
    int self = op->config.rank, peer;
    int most = op->config.correction == FTC_CORRECTION_RING ? op->config.ring_distance : c->count;
    struct ftc_group_walk walk;

    if (self == op->root || !ftc_classes_is_carrier(c, op->root, self))
        return;
    ftc_classes_walk(&walk, c, op->root, self);
    while ((peer = ftc_classes_next(&walk)) >= 0)
        if ((c->of[peer] - c->of[self] + c->count) % c->count <= most)
            send_result(op, out, peer);
}

void ftc_broadcast_forward(struct ftc_op *op, struct ftc_actions *out)
{
    if (op->group_is_everybody) {
        send_to_everybody(op, out);
        return;
    }
    send_to_children(op, out);
    if (ftc_topology_has_classes(op->config.topology))
        send_to_classes(op, out);
    else if (op->config.correction == FTC_CORRECTION_GROUP)
        send_to_group(op, out);
    else
        send_round_ring(op, out);
}
