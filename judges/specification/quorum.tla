---- MODULE @NAME@ ----
\* The quorum of a recorded run as a line of states. Each step names one action, and all that is seen after it.
EXTENDS kraft_kip_996
VARIABLE l
Trace == <<
@TRACE@
>>
Servers == 1..@N@
Unordered == {}  \* nothing is symmetric in a line; TLC would list all orders of its values before it begins
now == Trace[l + 1]
s == now.s
p == now.p
IsMeant(m) == /\ m.source = p /\ m.dest = s /\ m.type = IF now.m.asks THEN RequestVoteRequest ELSE RequestVoteResponse
              /\ m.pre_vote = now.m.pre /\ m.replica_epoch = now.m.e
              /\ IF now.m.asks THEN m.last_log_epoch = now.m.le /\ m.last_log_offset = now.m.end + 1 ELSE m.vote_granted = now.m.yes
Epochs(xs) == [i \in 1..(Len(xs) - 1) |-> xs[i + 1].epoch]  \* entry 1 is the specification's own InitClusterCommand
Sees(k) == \A v \in Servers : LET t == Trace[k].st[v] IN
    /\ state[v] = t.r /\ current_epoch[v] = t.e /\ Epochs(log[v]) = t.log
    /\ (t.r \in {Leader, Resigned} \/ voted_for[v] = t.v)    \* the specification forgets a leader's vote
    /\ (t.r = Follower => leader[v] = t.ld)
    /\ (t.r = Leader /\ t.hw > 0 => hwm[v] = t.hw + 1)
\* -- added: what the specification has no action for --
\* a round of pre-votes ends while messages are under way: a majority has refused, or its time is over
GiveUp == /\ state[s] = Prospective
          /\ ApplyState(s, IF leader[s] # Nil THEN TransitionToFollower(s, leader[s], current_epoch[s]) ELSE TransitionToUnattached(s, current_epoch[s], Nil))
          /\ UNCHANGED <<NetworkVars, server_ids, config, pending_ack, leaderVars, logVars, fetch_state, invVars, auxVars>>
BatchTail == /\ state[p] = Leader /\ Len(log[s]) < Len(log[p]) /\ SubSeq(log[p], 1, Len(log[s])) = log[s]
             /\ log' = [log EXCEPT ![s] = Append(@, log[p][Len(@) + 1])]
             /\ UNCHANGED <<NetworkVars, server_ids, serverVars, candidateVars, leaderVars, hwm, invVars, auxVars>>
\* a vote given already is given again (the specification's own action ends in IllegalState there)
VoteAgain == \E m \in Messages : /\ m.type = RequestVoteRequest /\ ~m.pre_vote /\ m.dest = s /\ m.source = p /\ m.replica_epoch = current_epoch[s] /\ voted_for[s] = p
    /\ Reply(m, [type |-> RequestVoteResponse, replica_epoch |-> m.replica_epoch, leader |-> leader[s], vote_granted |-> TRUE, pre_vote |-> FALSE, error |-> Nil, source |-> s, dest |-> p])
    /\ UNCHANGED <<server_ids, serverVars, candidateVars, leaderVars, logVars, invVars, auxVars>>
\* what was handled comes again: the specification's network is a set, so an equal message is there once
Again == /\ \E m \in ProcessedMessages : IsMeant(m) /\ net_messages' = net_messages \union {m}
         /\ UNCHANGED <<net_messages_processed, net_connectivity, net_connectivity_ctr, server_ids, serverVars, candidateVars, leaderVars, logVars, invVars, auxVars>>
\* of several messages the one that the run names; and the answer that it tells
VoteRequest == /\ HandleVoteRequest(s, p) \/ VoteAgain
               /\ \E m \in net_messages \ net_messages' : IsMeant(m)
               /\ \A m \in net_messages' \ net_messages : m.type = RequestVoteResponse /\ m.vote_granted = now.m.yes
               /\ \E m \in net_messages' : m.type = RequestVoteResponse /\ m.source = s /\ m.dest = p /\ m.pre_vote = now.m.pre /\ m.vote_granted = now.m.yes
VoteResponse == HandleVoteResponse(s, p) /\ (now.m # Nil => \E m \in net_messages \ net_messages' : IsMeant(m))
\* an answer to a fetch of who follows no more, or to an announcement: it says what the peer knows
AnswerTells ==
            /\ LET ns == MaybeHandleCommonResponse(s, leader[p], current_epoch[p], Nil) IN ApplyState(s, ns)
            /\ UNCHANGED <<NetworkVars, server_ids, config, fetch_state, pending_ack, leaderVars, logVars, invVars, auxVars>>
\* a leader is learned from another node's answer: reject, then handle
LearnLeader == \E m \in Messages : \E r \in {[type |-> FetchResponse, result |-> NotOk, error |-> NotLeader, leader |-> leader[p], replica_epoch |-> current_epoch[p],
                   hwm |-> hwm[p], source |-> p, dest |-> s, correlation |-> m]} :
    /\ m.type = FetchRequest /\ m.source = s /\ m.dest = p /\ fetch_state[s].pending_fetch = m
    /\ LET ns == MaybeHandleCommonResponse(s, r.leader, r.replica_epoch, r.error) IN ns.handled /\ ApplyState(s, ns)
    /\ UpdateFetchStateWithFetchRes(s, r) /\ Discard(m)
    /\ UNCHANGED <<log, hwm, config, flwr_end_offset, server_ids, pending_ack, invVars, auxVars>>
Act == CASE now.a = "timeout" -> (VoterFetchTimeout(s) \/ VoterElectionTimeout(s))
         [] now.a = "vote-request" -> VoteRequest [] now.a = "vote-response" -> VoteResponse [] now.a = "again" -> Again
         [] now.a = "conclude" -> ConcludePreVote(s) [] now.a = "become-leader" -> BecomeLeader(s)
         [] now.a = "begin-quorum" -> AcceptBeginQuorumRequest(s, p) [] now.a = "client" -> (HandleClientRequest(s) /\ inv_sent' = 1..(Cardinality(inv_sent) + 1))
         [] now.a = "send-fetch" -> SendFetchRequest(s, p) [] now.a = "accept-fetch" -> AcceptFetchRequest(s, p)
         [] now.a = "handle-fetch" -> HandleFetchResponse(s, p) [] now.a = "diverging" -> DivergingFetchRequest(s, p)
         [] now.a = "check-quorum" -> CheckQuorumResign(s) [] now.a = "resigned-timeout" -> ResignedElectionTimeout(s)
         [] now.a = "restart" -> RestartWithState(s)
         [] now.a = "give-up" -> (ConcludePreVote(s) \/ GiveUp) [] now.a \in {"late-fetch", "begin-answer"} -> AnswerTells [] now.a = "batch-tail" -> BatchTail [] now.a = "learn-leader" -> LearnLeader
         [] OTHER -> FALSE
First == Trace[1].st
InitEntry == [command |-> InitClusterCommand, epoch |-> 0, value |-> [id |-> 1, members |-> Servers]]
Begun == {v \in Servers : First[v].r \in {Prospective, Candidate}}
Net0 == UNION {{[type |-> RequestVoteRequest, replica_epoch |-> First[v].e, last_log_epoch |-> LastEpoch(<<InitEntry>> \o [i \in 1..Len(First[v].log) |-> [command |-> AppendCommand, epoch |-> First[v].log[i], value |-> 0]]),
              last_log_offset |-> Len(First[v].log) + 1, pre_vote |-> First[v].r = Prospective, source |-> v, dest |-> w] : w \in Servers \ {v}} : v \in Begun}
TInit == /\ l = 1 /\ server_ids = [v \in Servers |-> [host |-> v, disk_id |-> 0]]
         /\ net_messages = Net0 /\ net_messages_processed = {} /\ net_connectivity = [pair \in ServerPairs(Servers) |-> TRUE] /\ net_connectivity_ctr = 0
         /\ current_epoch = [v \in Servers |-> First[v].e] /\ state = [v \in Servers |-> First[v].r]
         /\ leader = [v \in Servers |-> First[v].ld] /\ voted_for = [v \in Servers |-> IF First[v].r = Resigned THEN Nil ELSE First[v].v]
         /\ fetch_state = [v \in Servers |-> BlankFetchState] /\ pending_ack = [v \in Servers |-> {}]
         /\ config = [v \in Servers |-> [id |-> 1, members |-> Servers, committed |-> TRUE]]
         /\ votes_recv = [v \in Servers |-> IF v \in Begun THEN {v} ELSE {}]
         /\ flwr_end_offset = [v \in Servers |-> [w \in Servers |-> 0]]
         /\ log = [v \in Servers |-> <<InitEntry>> \o [i \in 1..Len(First[v].log) |-> [command |-> AppendCommand, epoch |-> First[v].log[i], value |-> 0]]]
         /\ hwm = [v \in Servers |-> 0]
         /\ InitInvVars /\ InitAuxVars
TNext == l < Len(Trace) /\ Act /\ l' = l + 1 /\ Sees(l)'
TSpec == TInit /\ [][TNext]_<<vars, l>>
NotFinished == l < Len(Trace)
Tell == l = @STOP@ /\ l < Len(Trace) => PrintT(<<"enabled", ENABLED Act>>)
====
