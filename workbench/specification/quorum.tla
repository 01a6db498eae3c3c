---- MODULE @NAME@ ----
\* The quorum of a recorded run as a line of states. Each step names one action, and all that is seen after it.
EXTENDS kraft_kip_996
VARIABLE l
Trace == <<
@TRACE@
>>
Servers == 1..@N@
now == Trace[l + 1]
s == now.s
p == now.p
Epochs(xs) == [i \in 1..(Len(xs) - 1) |-> xs[i + 1].epoch]  \* entry 1 is the specification's own InitClusterCommand
Sees(k) == \A v \in Servers : LET t == Trace[k].st[v] IN
    /\ state[v] = t.r /\ current_epoch[v] = t.e /\ Epochs(log[v]) = t.log
    /\ (t.r \in {Leader, Resigned} \/ voted_for[v] = t.v)    \* the specification forgets a leader's vote
    /\ (t.r = Follower => leader[v] = t.ld)
    /\ (t.r = Leader /\ t.hw > 0 => hwm[v] = t.hw + 1)
\* -- added: what the specification has no action for --
Gone == {m \in net_messages : \/ m.type = RequestVoteRequest /\ m.source = s /\ m.pre_vote
                              \/ m.type = RequestVoteResponse /\ m.dest = s}
Lose == /\ net_messages' = net_messages \ Gone /\ net_messages_processed' = net_messages_processed \union Gone
        /\ UNCHANGED <<net_connectivity, net_connectivity_ctr, server_ids, serverVars, candidateVars, leaderVars, logVars, invVars, auxVars>>
BatchTail == /\ state[p] = Leader /\ Len(log[s]) < Len(log[p]) /\ SubSeq(log[p], 1, Len(log[s])) = log[s]
             /\ log' = [log EXCEPT ![s] = Append(@, log[p][Len(@) + 1])]
             /\ UNCHANGED <<NetworkVars, server_ids, serverVars, candidateVars, leaderVars, hwm, invVars, auxVars>>
\* a vote given already is given again (the specification's own action ends in IllegalState there)
VoteAgain == \E m \in Messages : /\ m.type = RequestVoteRequest /\ ~m.pre_vote /\ m.dest = s /\ m.source = p /\ m.replica_epoch = current_epoch[s] /\ voted_for[s] = p
    /\ Reply(m, [type |-> RequestVoteResponse, replica_epoch |-> m.replica_epoch, leader |-> leader[s], vote_granted |-> TRUE, pre_vote |-> FALSE, error |-> Nil, source |-> s, dest |-> p])
    /\ UNCHANGED <<server_ids, serverVars, candidateVars, leaderVars, logVars, invVars, auxVars>>
\* the same request a second time: the specification's network is a set, so an equal message is there once
Again == /\ ~\E m \in Messages : m.type = RequestVoteRequest /\ m.source = p /\ m.dest = s
         /\ \E m \in ProcessedMessages : m.type = RequestVoteRequest /\ m.source = p /\ m.dest = s
         /\ UNCHANGED vars
\* an answer to pre-votes that were given up, to a fetch of who follows no more, or to an announcement: it says what the peer knows
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
         [] now.a = "vote-request" -> (HandleVoteRequest(s, p) \/ VoteAgain \/ Again) [] now.a = "vote-response" -> HandleVoteResponse(s, p)
         [] now.a = "conclude" -> ConcludePreVote(s) [] now.a = "become-leader" -> BecomeLeader(s)
         [] now.a = "begin-quorum" -> AcceptBeginQuorumRequest(s, p) [] now.a = "client" -> (HandleClientRequest(s) /\ inv_sent' = 1..(Cardinality(inv_sent) + 1))
         [] now.a = "send-fetch" -> SendFetchRequest(s, p) [] now.a = "accept-fetch" -> AcceptFetchRequest(s, p)
         [] now.a = "handle-fetch" -> HandleFetchResponse(s, p) [] now.a = "diverging" -> DivergingFetchRequest(s, p)
         [] now.a = "check-quorum" -> CheckQuorumResign(s) [] now.a = "resigned-timeout" -> ResignedElectionTimeout(s)
         [] now.a = "restart" -> RestartWithState(s)
         [] now.a = "lose" -> Lose [] now.a \in {"late-vote", "late-fetch", "begin-answer"} -> AnswerTells [] now.a = "batch-tail" -> BatchTail [] now.a = "learn-leader" -> LearnLeader
         [] OTHER -> FALSE
First == Trace[1].st
InitEntry == [command |-> InitClusterCommand, epoch |-> 0, value |-> [id |-> 1, members |-> Servers]]
Begun == {v \in Servers : First[v].r = Candidate}
Net0 == UNION {{[type |-> RequestVoteRequest, replica_epoch |-> First[v].e, last_log_epoch |-> LastEpoch(<<InitEntry>> \o [i \in 1..Len(First[v].log) |-> [command |-> AppendCommand, epoch |-> First[v].log[i], value |-> 0]]),
              last_log_offset |-> Len(First[v].log) + 1, pre_vote |-> FALSE, source |-> v, dest |-> w] : w \in Servers \ {v}} : v \in Begun}
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
