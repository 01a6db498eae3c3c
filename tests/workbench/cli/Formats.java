import java.io.File;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** What Kafka's own StorageTool says of each file: its name, a tab, and the reason for which it refuses it, or nothing. */
public class Formats {
    public static void main(String[] files) {
        PrintStream nothing = new PrintStream(OutputStream.nullOutputStream());
        for (String file : files) {
            String verdict;
            try {
                String[] words = {"format", "--ignore-formatted", "-t", "AAAAAAAAAAAAAAAAAAAAAQ", "-c", file};
                int code = kafka.tools.StorageTool.execute(words, nothing);
                verdict = code == 0 ? "" : "exit code " + code;
            } catch (Throwable error) {
                verdict = String.valueOf(error.getMessage()).replaceAll("\\s+", " ");
            }
            System.out.println(new File(file).getName() + "\t" + verdict);
        }
    }
}
