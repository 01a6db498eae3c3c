---- MODULE @NAME@ ----
\* A recorded run as a line of states. Each step names one action of the specification, and all that is seen after it.
EXTENDS @SPEC@, Sequences, TLC
VARIABLE l
Trace == <<
@TRACE@
>>
R == @REPLICAS@
Recs(r) == [i \in 1..replicaLog[r].endOffset |-> <<replicaLog[r].records[i-1].epoch, replicaLog[r].records[i-1].id>>]
Sees(k) == /\ quorumState = Trace[k].q
           /\ \A i \in 1..Len(R) : LET t == Trace[k].r[i] s == replicaState[R[i]] IN
                /\ s.hw = t.hw /\ s.leaderEpoch = t.ep /\ s.leader = t.ld /\ Recs(R[i]) = t.log
                /\ (t.ld = R[i] => s.isr = t.isr)
now == Trace[l + 1]
me == now.n
logs == replicaLog
\* -- what the specifications leave out, each used only where the run shows it --
Same == UNCHANGED <<replicaLog, nextRecordId>>
Decide(q) == /\ quorumState' = q /\ leaderAndIsrRequests' = leaderAndIsrRequests \union {q}
             /\ nextLeaderEpoch' = q.leaderEpoch + 1 /\ Same
KraftElect == LET q == now.q IN  \* KRaft shrinks the ISR and elects in one record, with one new epoch
    /\ q.leaderEpoch = quorumState.leaderEpoch + 1 /\ q.isr \subseteq quorumState.isr /\ q.leader \in q.isr \union {None}
    /\ Decide(q) /\ UNCHANGED replicaState
KraftIsr == LET q == now.q IN    \* KRaft takes a fenced follower out of the ISR without a new epoch
    /\ q.leaderEpoch = quorumState.leaderEpoch /\ q.leader = quorumState.leader /\ q.isr \subseteq quorumState.isr /\ q.leader \in q.isr \union {None}
    /\ Decide(q)
    /\ replicaState' = IF q.leader # None /\ IsTrueLeader(q.leader) THEN [replicaState EXCEPT ![q.leader].isr = q.isr] ELSE replicaState
Unclean == LET q == now.q IN     \* a leader from outside the ISR
    /\ q.leaderEpoch = quorumState.leaderEpoch + 1 /\ q.leader \notin quorumState.isr /\ q.isr = {q.leader}
    /\ Decide(q) /\ UNCHANGED replicaState
Stop(h) == /\ replicaState' = [replicaState EXCEPT ![me] = [hw |-> h, leaderEpoch |-> Nil, leader |-> None, isr |-> {}]]
           /\ UNCHANGED <<nextLeaderEpoch, nextRecordId, leaderAndIsrRequests, quorumState>>
Restart == (\E h \in 0..replicaState[me].hw : Stop(h)) /\ UNCHANGED replicaLog
LostTail == (\E h \in 0..replicaState[me].hw : Stop(h)) /\ (\E o \in 0..(logs[me].endOffset - 1) : ReplicaLog!TruncateTo(me, o))
Source == replicaState[me].leader
Follows == Source \in Replicas /\ Source # me /\ ReplicaPresumesLeadership(Source) /\ ("@P@" = "" \/ replicaState[Source].leaderEpoch = replicaState[me].leaderEpoch)
Rest == UNCHANGED <<nextRecordId, nextLeaderEpoch, leaderAndIsrRequests, quorumState>>
Learn == /\ Follows           \* an answer without a record brings a newer high watermark
         /\ replicaState' = [replicaState EXCEPT ![me].hw = Max({@, Min({replicaState[Source].hw, logs[me].endOffset})})]
         /\ Rest /\ UNCHANGED replicaLog
KeptHw == /\ Follows          \* a follower never lowers its high watermark (Kafka's takes over the leader's older one)
          /\ ReplicaLog!ReplicateTo(Source, me) /\ replicaState[Source].hw < replicaState[me].hw /\ UNCHANGED replicaState /\ Rest
OutOfRange == /\ Follows      \* the leader's log ends earlier: only after an unclean election or a lost tail
              /\ logs[Source].endOffset < logs[me].endOffset /\ ReplicaLog!TruncateTo(me, logs[Source].endOffset)
              /\ replicaState' = [replicaState EXCEPT ![me].hw = Min({@, logs[Source].endOffset})] /\ Rest
Larger(r, e) == {x.offset : x \in {y \in ReplicaLog!GetAllEntries(r) : y.record.epoch > e}}
Answer(q, e) == IF ReplicaLog!GetLatestRecord(q.leader).epoch = e \/ Larger(q.leader, e) = {} THEN logs[q.leader].endOffset ELSE Min(Larger(q.leader, e))
ExpandEarly ==                \* Kafka asks that the follower has reached the leader's epoch, not that the high watermark has
    /\ quorumState.leader = me /\ replicaState[me].leader = me
    /\ \E f \in Replicas \ replicaState[me].isr :
        /\ replicaState[f].leader = me /\ replicaState[f].leaderEpoch = replicaState[me].leaderEpoch
        /\ logs[f].endOffset >= replicaState[me].hw
        /\ QuorumUpdateLeaderAndIsr(me, replicaState[me].isr \union {f})
    /\ UNCHANGED <<nextRecordId, replicaLog, nextLeaderEpoch, leaderAndIsrRequests>>
ShrinkUnheard == \E f \in replicaState[me].isr \ {me} : \* who has everything, and whose fetch that says so never came
    /\ QuorumUpdateLeaderAndIsr(me, replicaState[me].isr \ {f})
    /\ UNCHANGED <<nextRecordId, replicaLog, nextLeaderEpoch, leaderAndIsrRequests>>
NoCut == \E q \in leaderAndIsrRequests : \* Kip101 cannot follow a leader whose answer is beyond the own log, and forgets that
    /\ "@SPEC@" = "Kip101" /\ q.leader \notin {me, None} /\ q.leaderEpoch > replicaState[me].leaderEpoch \* a leader's epoch begins
    /\ ~ReplicaLog!IsEmpty(me) /\ ~ReplicaLog!IsEmpty(q.leader)                                         \* where its log ended
    /\ LET cut == Min({Answer(q, ReplicaLog!GetLatestRecord(me).epoch), logs[me].endOffset}) IN
       /\ ReplicaLog!TruncateTo(me, cut)
       /\ replicaState' = [replicaState EXCEPT ![me] = [hw |-> Min({@.hw, cut}), leaderEpoch |-> q.leaderEpoch, leader |-> q.leader, isr |-> q.isr]]
    /\ Rest
Act == CASE now.a = "elect" -> ControllerElectLeader [] now.a = "ctl-shrink" -> ControllerShrinkIsr
         [] now.a = "lead" -> BecomeLeader [] now.a = "write" -> LeaderWrite
         [] now.a = "follow" -> (@FOLLOW@ \/ NoCut) [] now.a = "fetch" -> @FETCH@
         [] now.a = "hw" -> @P@LeaderIncHighWatermark
         [] now.a = "expand" -> @P@LeaderExpandIsr [] now.a = "shrink" -> @P@LeaderShrinkIsr
         [] now.a = "kraft-elect" -> KraftElect [] now.a = "kraft-isr" -> KraftIsr [] now.a = "unclean" -> Unclean
         [] now.a = "restart" -> Restart [] now.a = "lost-tail" -> LostTail
         [] now.a = "learn" -> Learn [] now.a = "kept-hw" -> KeptHw [] now.a = "out-of-range" -> OutOfRange
         [] now.a = "expand-early" -> ExpandEarly [] now.a = "shrink-unheard" -> ShrinkUnheard
         [] OTHER -> FALSE
First == Trace[1]
FirstLog(i) == LET t == First.r[i].log IN [endOffset |-> Len(t), records |-> [o \in 0..(LogSize - 1) |-> IF o < Len(t) THEN [epoch |-> t[o + 1][1], id |-> t[o + 1][2]] ELSE Nil]]
At(r) == CHOOSE i \in 1..Len(R) : R[i] = r
TInit == /\ l = 1
         /\ replicaLog = [r \in Replicas |-> FirstLog(At(r))]
         /\ replicaState = [r \in Replicas |-> LET t == First.r[At(r)] IN [hw |-> t.hw, leaderEpoch |-> t.ep, leader |-> t.ld, isr |-> t.isr]]
         /\ quorumState = First.q /\ nextLeaderEpoch = First.q.leaderEpoch + 1 /\ nextRecordId = @NEXTID@
         /\ leaderAndIsrRequests = @REQUESTS@
TNext == l < Len(Trace) /\ Act /\ l' = l + 1 /\ Sees(l)'
TSpec == TInit /\ [][TNext]_<<vars, l>>
NotFinished == l < Len(Trace)
\* -- where the line ends: what the specification allows there --
Tell == l = @STOP@ /\ l < Len(Trace) =>
    /\ PrintT(<<"enabled", ENABLED Act>>)
    /\ \A x \in {<<"elect", ENABLED ControllerElectLeader>>, <<"lead", ENABLED BecomeLeader>>, <<"write", ENABLED LeaderWrite>>, <<"follow", ENABLED @FOLLOW@>>,
         <<"fetch", ENABLED @FETCH@>>, <<"hw", ENABLED @P@LeaderIncHighWatermark>>, <<"expand", ENABLED @P@LeaderExpandIsr>>, <<"shrink", ENABLED @P@LeaderShrinkIsr>>} :
         x[2] => PrintT(<<"allowed", x[1]>>)
====
